/**
 * Makes the bundles; the engines and the vocabulary are files beside them. On the desktop activation loads
 * `extension.js` alone, and `days.js` with the library is loaded on first use. VS Code for the web loads one file:
 * `web.js` has both.
 */

import { cpSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const bundle = (entry, outfile, more = {}) =>
  build({
    entryPoints: [`src/${entry}.ts`],
    outfile: `dist/${outfile}.js`,
    bundle: true,
    minify: true,
    keepNames: true,
    format: "cjs",
    platform: "browser",
    target: "es2022",
    external: ["vscode"],
    logLevel: "warning",
    ...more,
  });
const later = {
  name: "later",
  setup: ({ onResolve }) => onResolve({ filter: /^\.\/days\.ts$/ }, () => ({ path: "./days.js", external: true })),
};
await bundle("extension", "web");
await bundle("days", "days");
// As a call of `require`, which a CommonJS file of VS Code has.
await bundle("extension", "extension", { plugins: [later], supported: { "dynamic-import": false } });
mkdirSync("assets", { recursive: true });
const { resolve } = createRequire(import.meta.url);
for (const name of ["vocab/o200k_base.vocab", "espalier.wasm", "workspace.wasm"])
  cpSync(resolve(`espalier/${name}`), `assets/${name.split("/").at(-1)}`);
cpSync(join(dirname(resolve("espalier/package.json")), "THIRD-PARTY.md"), "assets/THIRD-PARTY.md");
