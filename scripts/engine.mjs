/**
 * The engines: cargo -> wasm-bindgen -> wasm-opt -> guard -> glue. They are built again when this file, `glue.mjs` or
 * `functions.mjs` changes, not when another script does.
 */

import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { functionsModule, functionsTypes, OWN, withoutFunctions } from "./functions.mjs";
import { glueFactory } from "./glue.mjs";
import { build, cached, fail, hash, isCurrent, root, run, sizes } from "./lib.mjs";
import { bindgen } from "./versions.mjs";

/**
 * The smallest code; against -O3 it costs a few percent of speed (measured in benches/). Flattening and rebuilding
 * control flow saves 3 kB of the download at the same speed; the second -Oz finds what the first made possible.
 * Functions sorted by name lie beside similar ones, which compress better: 11 kB less together. The lowest KB of memory
 * is the end of the stack and never addressed: knowing that saves a percent.
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
/** The engine that only counts. */
export const countFile = join(wasmDir, "count.wasm");
/** The engine of workspace search and inline context. */
export const workspaceFile = join(wasmDir, "workspace.wasm");
/** What the engines are made of. */
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
 * Makes the engines and their glue in `build/wasm`, unless they are current. With `isQuick`, cargo optimises less and
 * wasm-opt does not run: that makes an engine twice as large and half as fast within a minute. An optimised engine that
 * is current serves too.
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
    // Cargo does not know of our part of the parser's runtime.
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
 * One crate as wasm with its glue. Without `--crate-type`, cargo would make a Rust library of the crate that only
 * counts.
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

/** Minimises the module; a quick one is only copied. */
function minimise(module, file, profile) {
  if (profile === "quick") copyFileSync(module, file);
  else run("wasm-opt", [module, ...WASM_OPT, ...FEATURES, "-o", file]);
  guard(file);
  if (profile === "quick") return;
  const kb = Object.entries(sizes(file)).map(([how, bytes]) => `${Math.round(bytes / 1000)} kB ${how}`);
  process.stdout.write(`  ${basename(file)}: ${kb.join(", ")}\n`);
}

/**
 * Flags that strip this machine's folders from panic locations in other crates, so that the wasm is the same on every
 * machine.
 */
function nowhere() {
  run("cargo", ["fetch", "--quiet", "--target", "wasm32-unknown-unknown"]);
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry", "src");
  const folders = existsSync(sources) ? readdirSync(sources) : [];
  const flags = folders.map((folder) => `--remap-path-prefix=${join(sources, folder)}/=`);
  return ["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(flags)}`];
}

/**
 * C code compiled by the wrong compiler shows up as imports from "env": such a module cannot be instantiated anywhere.
 */
function guard(file) {
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file)));
  const foreign = imports.filter(({ module }) => module === "env");
  if (foreign.length) fail(`the wasm imports from "env": ${foreign.map(({ name }) => name).join(", ")}`);
}
