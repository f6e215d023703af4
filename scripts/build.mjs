/**
 * Makes the publishable package in `pkg/`: wasm, glue, vocabularies, bundles, types. Stages that are current are skipped.
 *
 *   cargo -> wasm-bindgen -> wasm-opt -> guard -> glue                   build/wasm
 *   make-vocab                                                           build/vocab
 *   esbuild, tsc, pkg-template                                           pkg
 */

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as out, cached, fail, hash, root, run, sizes, step } from "./lib.mjs";
import { bundles } from "./bundles.mjs";
import { packageExports, sideEffects } from "./exports.mjs";
import { glueFactory } from "./glue.mjs";
import { thirdParty } from "./licences.mjs";
import { setUp } from "./setup.mjs";
import { typesVersions, writeShim } from "./shim.mjs";
import { bindgen, version } from "./versions.mjs";

/**
 * Smallest code; against -O3 it costs a few percent of speed (measured in benches/). Control flow is taken apart first and put together anew,
 * which is 3 kB less to download for the same speed; a second round finds what the first made possible.
 * Functions in the order of their names have their like beside them, which compresses better: both together, 11 kB less to download. Nothing
 * lies in the lowest KB of memory, which is the end of the stack: knowing that makes another percent.
 */
const WASM_OPT = ["--flatten", "--rereloop", "-Oz", "-Oz", "--reorder-functions-by-name", "--low-memory-unused", "--strip-debug", "--strip-producers"];
const FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"].map((name) => `--enable-${name}`);

const wasmDir = join(out, "wasm");
const wasmFile = join(wasmDir, "espalier.wasm");
/** The engine that only counts. */
const countFile = join(wasmDir, "count.wasm");
const vocabDir = join(out, "vocab");
const vocabularyNames = ["o200k_base", "cl100k_base"];
const pkg = join(root, "pkg");
const quick = Boolean(process.env.ESPALIER_QUICK);
const profile = quick ? "quick" : "release";
const rust = ["Cargo.toml", "core", "count", "Cargo.lock", "rust-toolchain.toml", "build.rs", ".cargo", "scripts/wasm-cc", "scripts/wasm-cc.mjs", "scripts/tree-sitter.c", "src"];

export async function buildPackage() {
  await step("The engine (Rust to wasm)", wasm);
  await step("Vocabularies", vocabularies);
  await step("The package in pkg/", packageFolder);
}

function wasm() {
  const inputs = hash([...rust, "scripts/build.mjs", "scripts/glue.mjs"], bindgen + profile);
  return cached("wasm", inputs, [wasmFile, countFile, join(wasmDir, "glue.js"), join(wasmDir, "glue.d.ts"), join(wasmDir, "count-glue.js")], async () => {
    // Cargo does not know of our part of the parser's runtime.
    await cached("runtime", hash(["scripts/tree-sitter.c", "scripts/wasm-cc.mjs"], profile), [], () => run("cargo", ["clean", "--profile", profile, "--package", "tree-sitter", "--target", "wasm32-unknown-unknown"]));
    engine({ crate: "espalier", file: wasmFile, glue: "glue", inlineEntry: "espalier/inline/o200k_base" });
    engine({ crate: "espalier-count", file: countFile, glue: "count-glue", inlineEntry: "espalier/count/o200k_base" });
  });
}

/** One crate as wasm with its glue. Without `--crate-type`, cargo would make a Rust library of the crate that only counts. */
function engine({ crate, file, glue, inlineEntry }) {
  run("cargo", ["rustc", "--profile", profile, "--package", crate, "--lib", "--crate-type", "cdylib", "--target", "wasm32-unknown-unknown", "--quiet", ...nowhere()]);
  const raw = join(root, "target", "wasm32-unknown-unknown", profile, `${crate.replace("-", "_")}.wasm`);
  const name = basename(file, ".wasm");
  run("wasm-bindgen", [raw, "--target", "web", "--out-dir", wasmDir, "--out-name", name]);
  small(join(wasmDir, `${name}_bg.wasm`), file);
  const { code, types } = glueFactory(
    readFileSync(join(wasmDir, `${name}.js`), "utf8"),
    readFileSync(join(wasmDir, `${name}.d.ts`), "utf8"),
    inlineEntry,
  );
  writeFileSync(join(wasmDir, `${glue}.js`), code);
  writeFileSync(join(wasmDir, `${glue}.d.ts`), types);
  for (const ending of [".js", ".d.ts", "_bg.wasm", "_bg.wasm.d.ts"]) rmSync(join(wasmDir, `${name}${ending}`));
}

/**
 * Makes the module small. `ESPALIER_QUICK=1` leaves that out, and cargo optimises less: an engine twice as large and half as fast within a
 * minute, for working on it.
 */
function small(module, file) {
  if (quick) copyFileSync(module, file);
  else run("wasm-opt", [module, ...WASM_OPT, ...FEATURES, "-o", file]);
  guard(file);
  if (quick) return;
  const kb = Object.entries(sizes(file)).map(([how, bytes]) => `${Math.round(bytes / 1000)} kB ${how}`);
  process.stdout.write(`  ${basename(file)}: ${kb.join(", ")}\n`);
}

/** Places in other crates are told without the folder that they lie in on this machine: the wasm is the same wherever it is built. */
function nowhere() {
  run("cargo", ["fetch", "--quiet", "--target", "wasm32-unknown-unknown"]);
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const folders = existsSync(sources) ? readdirSync(sources) : [];
  const flags = folders.map((folder) => `--remap-path-prefix=${join(sources, folder)}/=`);
  return ["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(flags)}`];
}

/** C code compiled by the wrong compiler shows up as imports from "env": such a module cannot be instantiated anywhere. */
function guard(file) {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file)));
  const foreign = imports.filter(({ module }) => module === "env");
  if (foreign.length) fail(`the wasm imports from "env": ${foreign.map(({ name }) => name).join(", ")}`);
}

function vocabularies() {
  const locked = readFileSync(join(root, "Cargo.lock"), "utf8").match(/name = "(tiktoken-rs|zopfli)"\nversion = ".*"/g).join();
  const inputs = hash(["scripts/make-vocab.rs", "scripts/vocabulary.rs", "src/tokens/vocab.rs"], locked);
  const files = vocabularyNames.map((name) => join(vocabDir, `${name}.vocab`));
  return cached("vocab", inputs, files, () => run("cargo", ["run", "--quiet", "--example", "make-vocab", "--", vocabDir]));
}

async function packageFolder() {
  const inputs = hash(["js", "pkg-template", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "scripts", "package-lock.json",
    "tsconfig.json", "tsconfig.types.json", "build/wasm", "build/vocab"]);
  return cached("pkg", inputs, [join(pkg, "package.json"), join(pkg, "dist", "node.js"), join(pkg, "dist", "types", "core.d.ts")], async () => {
    rmSync(pkg, { recursive: true, force: true });
    mkdirSync(join(pkg, "dist", "vocab"), { recursive: true });
    for (const file of [wasmFile, countFile]) copyFileSync(file, join(pkg, "dist", basename(file)));
    cpSync(vocabDir, join(pkg, "dist", "vocab"), { recursive: true });
    copyGrammars(join(pkg, "dist", "grammars"));
    await bundles({ dist: join(pkg, "dist"), glues: wasmDir, grammars: grammarSums(join(pkg, "dist", "grammars")) });
    types();
    for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"]) copyFileSync(join(root, name), join(pkg, name));
    writeFileSync(join(pkg, "THIRD-PARTY.md"), thirdParty());
    const template = JSON.parse(readFileSync(join(root, "pkg-template", "package.json"), "utf8"));
    const exports = packageExports(Object.values(GRAMMARS).flat());
    const manifest = { ...template, version, sideEffects, typesVersions: typesVersions(exports), exports };
    writeFileSync(join(pkg, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    writeShim(join(pkg, "shim"), manifest);
  });
}

/** Grammars are taken as they are, from packages whose versions are pinned: their trees decide what a summary keeps. */
export const GRAMMARS = {
  "@vscode/tree-sitter-wasm/wasm": ["javascript", "typescript", "tsx", "python", "ruby", "rust", "go", "java", "cpp", "c-sharp", "php"],
  "@repomix/tree-sitter-wasms/out": ["c"],
};

export function copyGrammars(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [from, names] of Object.entries(GRAMMARS)) {
    for (const name of names) copyFileSync(join(root, "node_modules", from, `tree-sitter-${name}.wasm`), join(folder, `tree-sitter-${name}.wasm`));
  }
  for (const [name, licence] of [["@vscode/tree-sitter-wasm", "vscode"], ["@repomix/tree-sitter-wasms", "repomix"]]) {
    copyFileSync(join(root, "node_modules", name, "LICENSE"), join(folder, `LICENSE-${licence}`));
  }
  // Those are of whoever built the files; the grammars have authors of their own.
  copyFileSync(join(root, "pkg-template", "grammars.md"), join(folder, "LICENSES.md"));
}

/** Size and hash of each grammar: one that was damaged on its way can still be wasm, and would crash or see errors everywhere. */
export function grammarSums(folder) {
  const names = Object.values(GRAMMARS).flat().map((name) => [name, readFileSync(join(folder, `tree-sitter-${name}.wasm`))]);
  return Object.fromEntries(names.map(([name, bytes]) => [name, [bytes.length, createHash("sha256").update(bytes).digest("hex")]]));
}

/** Declarations, once for import and once for require: the same text with other file endings. */
function types() {
  const dir = join(pkg, "dist", "types");
  run("tsc", ["--project", "tsconfig.types.json"]);
  // The raw exports are no part of the contract.
  writeFileSync(join(dir, "glue.d.ts"), "export declare function createGlue(): Record<string, unknown>;\n");
  const walk = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((item) =>
    item.isDirectory() ? walk(join(folder, item.name)) : [join(folder, item.name)]);
  for (const file of walk(dir)) {
    const text = readFileSync(file, "utf8").replaceAll('"#glue"', '"./glue.ts"');
    const as = (ending) => text.replace(/(from |import |import\()"(\.[^"]+?)\.ts"/g, `$1"$2${ending}"`);
    writeFileSync(file, as(".js"));
    writeFileSync(file.replace(/\.d\.ts$/, ".d.cts"), as(".cjs"));
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp();
  await buildPackage();
}
