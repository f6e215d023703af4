/**
 * Makes one bundle for both kinds of extension host; the engines and the vocabulary are files beside it.
 */

import { cpSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  keepNames: true,
  format: "cjs",
  platform: "browser",
  target: "es2022",
  external: ["vscode"],
  logLevel: "warning",
});
mkdirSync("assets", { recursive: true });
const { resolve } = createRequire(import.meta.url);
for (const name of ["vocab/o200k_base.vocab", "espalier.wasm", "workspace.wasm"])
  cpSync(resolve(`espalier/${name}`), `assets/${name.split("/").at(-1)}`);
cpSync(join(dirname(resolve("espalier/package.json")), "THIRD-PARTY.md"), "assets/THIRD-PARTY.md");
