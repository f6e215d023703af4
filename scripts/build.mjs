/**
 * Makes the publishable package in `pkg/`: wasm, glue, vocabularies, bundles, types. Skips stages that are current.
 *
 *   engine.mjs                                                           build/wasm
 *   vocabulary/                                                          build/vocab
 *   esbuild, tsc, pkg-template                                           pkg
 */

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as out, cached, hash, root, run, step } from "./lib.mjs";
import { bundles } from "./bundles.mjs";
import { countFile, engine, wasmDir, wasmFile, workspaceFile } from "./engine.mjs";
import { packageExports, sideEffects } from "./exports.mjs";
import { thirdParty } from "./licences.mjs";
import { setUp } from "./setup.mjs";
import { typesVersions, writeShim } from "./shim.mjs";
import { TRACE_PAGE_SOURCES } from "./trace-page.mjs";
import { version } from "./versions.mjs";

const vocabDir = join(out, "vocab");
const vocabularyNames = ["o200k_base", "cl100k_base"];
const pkg = join(root, "pkg");
/** The examples that are in the package: all but the extension, which is a package of its own. */
const examples = readdirSync(join(root, "examples"))
  .filter((name) => !["vscode-extension", "node_modules", "package-lock.json"].includes(name))
  .map((name) => join("examples", name));

/** Builds all stages; with `isQuick` the engine is not optimised. */
export async function buildPackage(isQuick = Boolean(process.env.ESPALIER_QUICK)) {
  await step("The engine (Rust to wasm, some minutes the first time and after changes in Rust)", () => engine(isQuick));
  await step("Vocabularies (a minute or two the first time)", vocabularies);
  await step("The package in pkg/", packageFolder);
}

function vocabularies() {
  const locked = readFileSync(join(root, "Cargo.lock"), "utf8")
    .match(/name = "(tiktoken-rs|zopfli)"\nversion = ".*"/g)
    .join();
  const inputs = hash(["vocabulary", "core/src/tokens/vocab.rs"], locked);
  const files = vocabularyNames.map((name) => join(vocabDir, `${name}.vocab`));
  return cached("vocab", inputs, files, () =>
    run("cargo", ["run", "--quiet", "--package", "espalier-vocabulary", "--bin", "vocabularies", "--", vocabDir]),
  );
}

async function packageFolder() {
  const inputs = hash([
    "js",
    "docs",
    "pkg-template",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "CHANGELOG.md",
    "SECURITY.md",
    ...examples,
    "scripts",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.types.json",
    "build/wasm",
    "build/vocab",
    ...TRACE_PAGE_SOURCES,
  ]);
  return cached(
    "pkg",
    inputs,
    [
      join(pkg, "package.json"),
      join(pkg, "dist", "index-node.js"),
      join(pkg, "dist", "types", "entries", "index.d.ts"),
    ],
    async () => {
      rmSync(pkg, { recursive: true, force: true });
      mkdirSync(join(pkg, "dist", "vocab"), { recursive: true });
      for (const file of [wasmFile, countFile, workspaceFile]) copyFileSync(file, join(pkg, "dist", basename(file)));
      cpSync(vocabDir, join(pkg, "dist", "vocab"), { recursive: true });
      copyGrammars(join(pkg, "dist", "grammars"));
      await bundles({ dist: join(pkg, "dist"), glues: wasmDir, grammars: grammarSums(join(pkg, "dist", "grammars")) });
      types();
      for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "SECURITY.md"])
        copyFileSync(join(root, name), join(pkg, name));
      // For people who install it; the repository's is for people who clone.
      copyFileSync(join(root, "pkg-template", "README.md"), join(pkg, "README.md"));
      // The README links to them.
      for (const path of ["docs", ...examples]) cpSync(join(root, path), join(pkg, path), { recursive: true });
      writeFileSync(join(pkg, "THIRD-PARTY.md"), thirdParty());
      const template = JSON.parse(readFileSync(join(root, "pkg-template", "package.json"), "utf8"));
      const exports = packageExports(Object.values(GRAMMARS).flat());
      const manifest = { ...template, version, sideEffects, typesVersions: typesVersions(exports), exports };
      writeFileSync(join(pkg, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
      writeShim(join(pkg, "shim"), manifest);
    },
  );
}

/** Grammars are copied from packages with pinned versions, because their trees decide what a summary keeps. */
export const GRAMMARS = {
  "@vscode/tree-sitter-wasm/wasm": [
    "javascript",
    "typescript",
    "tsx",
    "python",
    "ruby",
    "rust",
    "go",
    "java",
    "cpp",
    "c-sharp",
    "php",
  ],
  "@repomix/tree-sitter-wasms/out": ["c"],
};

export function copyGrammars(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [from, names] of Object.entries(GRAMMARS)) {
    for (const name of names)
      copyFileSync(
        join(root, "node_modules", from, `tree-sitter-${name}.wasm`),
        join(folder, `tree-sitter-${name}.wasm`),
      );
  }
  for (const [name, licence] of [
    ["@vscode/tree-sitter-wasm", "vscode"],
    ["@repomix/tree-sitter-wasms", "repomix"],
  ]) {
    copyFileSync(join(root, "node_modules", name, "LICENSE"), join(folder, `LICENSE-${licence}`));
  }
  // The licences are those of the packages' builders; the grammars have authors of their own.
  copyFileSync(join(root, "pkg-template", "grammars.md"), join(folder, "LICENSES.md"));
}

/**
 * Returns size and hash of each grammar: a damaged one can still be valid wasm, and would crash or report errors
 * everywhere.
 */
export function grammarSums(folder) {
  const names = Object.values(GRAMMARS)
    .flat()
    .map((name) => [name, readFileSync(join(folder, `tree-sitter-${name}.wasm`))]);
  return Object.fromEntries(
    names.map(([name, bytes]) => [name, [bytes.length, createHash("sha256").update(bytes).digest("hex")]]),
  );
}

/** The declaration of the wasm files, which bundlers for Cloudflare import. */
const WASM = `import type { WasmModule } from "./engine/engine.ts";

/** The compiled engine, for \`init({ wasm })\`. */
declare const wasm: WasmModule;
export default wasm;
`;

/** Writes the declarations, once for import and once for require: the same text with other file endings. */
function types() {
  const dir = join(pkg, "dist", "types");
  run("tsc", ["--project", "tsconfig.types.json"]);
  // The raw exports are not part of the contract.
  writeFileSync(join(dir, "glue.d.ts"), "export declare function createGlue(): Record<string, any>;\n");
  copyFileSync(join(wasmDir, "functions.d.ts"), join(dir, "functions.d.ts"));
  writeFileSync(join(dir, "wasm.d.ts"), WASM);
  const walk = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((item) =>
      item.isDirectory() ? walk(join(folder, item.name)) : [join(folder, item.name)],
    );
  for (const file of walk(dir)) {
    const text = readFileSync(file, "utf8").replace(/"#(workspace-)?glue"/g, '"../glue.ts"');
    const as = (ending) => text.replace(/(from |import |import\()"(\.[^"]+?)\.ts"/g, `$1"$2${ending}"`);
    writeFileSync(file, as(".js"));
    writeFileSync(file.replace(/\.d\.ts$/, ".d.cts"), as(".cjs"));
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp();
  await buildPackage();
}
