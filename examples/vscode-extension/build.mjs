/** One bundle for both kinds of extension host, and the vocabulary beside it. */

import { cpSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";

await build({ entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", bundle: true, format: "cjs", platform: "browser", target: "es2022", external: ["vscode"], logLevel: "warning" });
mkdirSync("assets", { recursive: true });
cpSync(createRequire(import.meta.url).resolve("espalier/vocab/o200k_base.vocab"), "assets/o200k_base.vocab");
