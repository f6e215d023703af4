/**
 * Builds the engines: cargo -> wasm-bindgen -> wasm-opt -> guard -> glue. A change of one of the scripts in `SOURCES`
 * rebuilds them; a change of another script does not.
 */

import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { functionsModule, functionsTypes, OWN, withoutFunctions } from "./functions.mjs";
import { glueFactory } from "./glue.mjs";
import { build, cached, fail, hash, isCurrent, root, run } from "./lib.mjs";
import { bindgen } from "./versions.mjs";

/**
 * Optimises for size, at a few percent of the speed of -O3 (measured in benches/). Flattening and rebuilding control
 * flow saves 3 kB of the download at the same speed. The second -Oz finds what the first made possible. Functions
 * sorted by name are next to similar ones, which compresses better: 11 kB less in total. The lowest KB of memory is the
 * end of the stack and never addressed: this saves one percent.
 */
const WASM_OPT = [
  "--flatten",
  "--rereloop",
  "-Oz",
  "-Oz",
  "--reorder-functions-by-name",
  "--low-memory-unused",
  "--strip-debug",
  "--strip-producers",
];
const FEATURES = [
  "bulk-memory",
  "nontrapping-float-to-int",
  "sign-ext",
  "mutable-globals",
  "reference-types",
  "multivalue",
].map((name) => `--enable-${name}`);

export const wasmDir = join(build, "wasm");
export const wasmFile = join(wasmDir, "espalier.wasm");
/** The engine for counting only. */
export const countFile = join(wasmDir, "count.wasm");
/** The engine of workspace search and inline context. */
export const workspaceFile = join(wasmDir, "workspace.wasm");
/** Files that the engines are built from. */
const SOURCES = [
  "Cargo.toml",
  "Cargo.lock",
  "rust-toolchain.toml",
  "build.rs",
  ".cargo",
  "core",
  "count",
  "inline",
  "search",
  "src",
  "workspace",
  "scripts/wasm-cc",
  "scripts/wasm-cc.mjs",
  "scripts/tree-sitter.c",
  "scripts/engine.mjs",
  "scripts/functions.mjs",
  "scripts/glue.mjs",
];

/**
 * Builds the engines and their glue in `build/wasm`, unless they are current. With `isQuick`, cargo optimises less and
 * wasm-opt does not run: within a minute, this makes an engine twice as large and half as fast. A current optimised
 * engine is accepted as well.
 */
export function engine(isQuick) {
  const profile = isQuick ? "quick" : "release";
  const inputsFor = (profile) => hash(SOURCES, bindgen + profile);
  const outputs = [
    wasmFile,
    countFile,
    workspaceFile,
    ...["glue.js", "glue.d.ts", "count-glue.js", "workspace-glue.js", "functions.js", "functions.d.ts"].map((name) =>
      join(wasmDir, name),
    ),
  ];
  if (isQuick && isCurrent("wasm", inputsFor("release"), outputs)) return "current";
  return cached("wasm", inputsFor(profile), outputs, async () => {
    // Cargo does not track these files, our part of the parser's runtime.
    const runtime = hash(["scripts/tree-sitter.c", "scripts/wasm-cc.mjs"], profile);
    const clean = ["clean", "--profile", profile, "--package", "tree-sitter", "--target", "wasm32-unknown-unknown"];
    await cached("runtime", runtime, [], () => run("cargo", clean));
    crateToWasm({
      profile,
      crate: "espalier",
      file: wasmFile,
      glue: "glue",
      inlineEntry: "espalier/inline/o200k_base",
    });
    crateToWasm({
      profile,
      crate: "espalier-count",
      file: countFile,
      glue: "count-glue",
      inlineEntry: "espalier/count/o200k_base",
    });
    crateToWasm({
      profile,
      crate: "espalier-workspace",
      file: workspaceFile,
      glue: "workspace-glue",
      inlineEntry: "espalier/search/o200k_base",
    });
  });
}

/**
 * Builds one crate as wasm with its glue. Without `--crate-type`, cargo would build the counting crate as a Rust
 * library.
 */
function crateToWasm({ profile, crate, file, glue, inlineEntry }) {
  const target = [
    "--profile",
    profile,
    "--package",
    crate,
    "--lib",
    "--crate-type",
    "cdylib",
    "--target",
    "wasm32-unknown-unknown",
  ];
  run("cargo", ["rustc", ...target, "--quiet", ...nowhere()]);
  const raw = join(root, "target", "wasm32-unknown-unknown", profile, `${crate.replace("-", "_")}.wasm`);
  const name = basename(file, ".wasm");
  run("wasm-bindgen", [raw, "--target", "web", "--out-dir", wasmDir, "--out-name", name]);
  minimise(join(wasmDir, `${name}_bg.wasm`), file, profile);
  const bound = readFileSync(join(wasmDir, `${name}.js`), "utf8");
  let declared = readFileSync(join(wasmDir, `${name}.d.ts`), "utf8");
  if (file === wasmFile) {
    const section = readFileSync(join(root, "src", "bindings", "functions", "types.d.ts"), "utf8");
    writeFileSync(join(wasmDir, "functions.js"), functionsModule(bound));
    writeFileSync(join(wasmDir, "functions.d.ts"), functionsTypes(declared, section));
    declared = withoutFunctions(declared, section);
  }
  const { code, types } = glueFactory(bound, declared, inlineEntry, file === wasmFile ? OWN : []);
  writeFileSync(join(wasmDir, `${glue}.js`), code);
  writeFileSync(join(wasmDir, `${glue}.d.ts`), types);
  for (const ending of [".js", ".d.ts", "_bg.wasm", "_bg.wasm.d.ts"]) rmSync(join(wasmDir, `${name}${ending}`));
}

/** Minimises the module; a quick build is only copied. */
function minimise(module, file, profile) {
  if (profile === "quick") copyFileSync(module, file);
  else run("wasm-opt", [module, ...WASM_OPT, ...FEATURES, "-o", file]);
  guard(file);
  if (profile === "quick") return;
  // What servers send is measured by tests/packaging: the best brotli needs 9 s for the three engines.
  process.stdout.write(`  ${basename(file)}: ${Math.round(statSync(file).size / 1000)} kB\n`);
}

/**
 * Returns flags that strip this machine's folders from panic locations in other crates, so that every machine builds
 * the same wasm.
 */
function nowhere() {
  run("cargo", ["fetch", "--quiet", "--target", "wasm32-unknown-unknown"]);
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const folders = existsSync(sources) ? readdirSync(sources) : [];
  const flags = folders.map((folder) => `--remap-path-prefix=${join(sources, folder)}/=`);
  return ["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(flags)}`];
}

/**
 * Fails if the module imports from "env": then the wrong compiler compiled C code, and the module cannot be
 * instantiated.
 */
function guard(file) {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file)));
  const foreign = imports.filter(({ module }) => module === "env");
  if (foreign.length) fail(`the wasm imports from "env": ${foreign.map(({ name }) => name).join(", ")}`);
}
