/**
 * Makes the parts of the package for older ways of resolution: `typesVersions`, which TypeScript reads under
 * `moduleResolution: node10` instead of `exports`; and `shim/`, a separate package shaped like `@vscode/prompt-tsx`
 * (CommonJS, `main`, `types`, `dist/base`), for `npm:` aliases and `overrides`.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DEEP } from "./entries.mjs";

/** The modules of `@vscode/prompt-tsx` 0.4 below `dist/base`. */
const MODULES = [
  "htmlTracer",
  "index",
  "jsonTypes",
  "materialized",
  "promptElement",
  "promptElements",
  "promptRenderer",
  "results",
  "tracer",
  "tsx",
  "tsx-globals",
  "types",
  "vscodeTypes",
  "output/mode",
  "output/openaiConvert",
  "output/openaiTypes",
  "output/rawTypes",
  "output/vscode",
  "tokenizer/tokenizer",
  "util/vs/common/uri",
];

/** Returns the declarations of each export, as TypeScript reads them without `exports`. */
export function typesVersions(exports) {
  const declarations = (entry) => {
    const { require: found, node } = entry;
    return (found ?? node?.require ?? entry).types;
  };
  const paths = Object.entries(exports).flatMap(([name, entry]) => {
    const types = name === "." || typeof entry === "string" ? undefined : declarations(entry);
    return types ? [[name.slice(2), [types.slice(2)]]] : [];
  });
  return { "*": Object.fromEntries(paths) };
}

/** Writes the folder that can be published, aliased or linked instead of `@vscode/prompt-tsx`. */
export function writeShim(folder, { version, license, engines }) {
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const manifest = {
    name: "espalier-prompt-tsx",
    version,
    description: "espalier/prompt-tsx in the shape of @vscode/prompt-tsx, for npm aliases and overrides.",
    license,
    engines,
    main: "./dist/base/index.js",
    types: "./dist/base/index.d.ts",
    sideEffects: true,
    peerDependencies: { espalier: version },
  };
  write("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  for (const module of MODULES) {
    const target = module in DEEP ? `espalier/prompt-tsx/dist/base/${module}` : "espalier/prompt-tsx";
    write(`dist/base/${module}.js`, `"use strict";\nmodule.exports = require("${target}");\n`);
    write(`dist/base/${module}.d.ts`, `export * from "${target}";\n`);
  }
}
