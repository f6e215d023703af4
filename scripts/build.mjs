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
import { glueFactory } from "./glue.mjs";
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
    engine({ crate: "espalier", file: wasmFile, glue: "glue", inlineEntry: "espalier/inline" });
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

/** Bytes inside of JavaScript: a function that gives them. */
function inText(file) {
  return `() => { const raw = atob("${readFileSync(file).toString("base64")}"); const out = new Uint8Array(raw.length);` +
    " for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i); return out; }";
}

/**
 * The same as hexadecimal digits: half as large again before compression, but a byte is always the same two characters, so that brotli makes
 * 41 kB of the engine that only counts instead of 50.
 */
function inHex(file) {
  return `() => { const raw = "${readFileSync(file).toString("hex")}"; const out = new Uint8Array(raw.length / 2);` +
    " const digit = (at) => { const code = raw.charCodeAt(at); return code < 58 ? code - 48 : code - 87; };" +
    " for (let i = 0; i < out.length; i++) out[i] = digit(2 * i) * 16 + digit(2 * i + 1); return out; }";
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
    await bundles();
    types();
    for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"]) copyFileSync(join(root, name), join(pkg, name));
    const template = JSON.parse(readFileSync(join(root, "pkg-template", "package.json"), "utf8"));
    const manifest = { ...template, version, typesVersions: typesVersions(template.exports) };
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

/** One core chunk for each module format; the entries import it, so that all of them share one engine. */
async function bundles() {
  const esbuild = await import("esbuild");
  const dist = join(pkg, "dist");
  const entry = (name) => join(root, "js", "entries", `${name}.ts`);
  for (const [format, suffix] of [["esm", ".js"], ["cjs", ".cjs"]]) {
    const common = {
      bundle: true, format, platform: "neutral", target: "es2022", external: ["node:*"], logLevel: "warning", sourcemap: false,
      define: { ESPALIER_GRAMMARS: JSON.stringify(grammarSums(join(dist, "grammars"))) }, charset: "utf8", legalComments: "none", outExtension: { ".js": suffix },
    };
    const glueFrom = (file) => ({ name: "glue", setup(b) { b.onResolve({ filter: /^#glue$/ }, () => ({ path: join(wasmDir, file) })); } });
    const [glue, countGlue] = [glueFrom("glue.js"), glueFrom("count-glue.js")];
    // Everything that keeps state lives in the core; entries reach it as an external file beside them, and hand on of it what is public.
    const sharing = async (source, filter, chunk) => {
      const { metafile } = await esbuild.build({ entryPoints: [join(root, "js", source)], write: false, metafile: true, format: "esm", outdir: dist, logLevel: "warning" });
      const names = Object.values(metafile.outputs).flatMap(({ exports }) => exports);
      return { name: chunk, setup(b) {
        b.onResolve({ filter }, ({ kind }) => (kind === "import-statement" ? { path: chunk, namespace: "public" } : undefined));
        b.onLoad({ filter: /.*/, namespace: "public" }, () => ({ contents: `export { ${names.join(", ")} } from "./core.ts";` }));
        b.onResolve({ filter: /^\.\.?\/((\.\.\/)?(core|engine|vocabulary|errors|init|api|tokens|documents|adapters\/vscode-classes)|adapters\/index)\.ts$/ }, () => ({ path: `./${chunk}${suffix}`, external: true }));
      } };
    };
    const core = await sharing("core.ts", /^\.\.\/core\.ts$/, "core");
    const count = await sharing("count/public.ts", /^\.\.\/count\/public\.ts$/, "count-core");
    // Providers need of it errors and adapters, from two depths of folders.
    const shared = { name: "shared", setup(b) {
      b.onResolve({ filter: /^(\.\.\/){1,2}(errors|adapters\/index)\.ts$/ }, () => ({ path: `./core${suffix}`, external: true }));
    } };
    // Elements are told apart by their classes, so that there may be only one of each.
    const prompt = { name: "prompt", setup(b) {
      b.onResolve({ filter: /^\.\.\/prompt\/index\.ts$/ }, () => ({ path: `./prompt${suffix}`, external: true }));
      b.onResolve({ filter: /^\.\/(node|web|inline)\.ts$/ }, ({ path }) => ({ path: path.replace(/\.ts$/, suffix), external: true }));
    } };
    const inside = (bytes) => ({ name: "inside", setup(b) {
      b.onResolve({ filter: /^#wasm-bytes$/ }, () => ({ path: "wasm-bytes", namespace: "inside" }));
      b.onLoad({ filter: /.*/, namespace: "inside" }, () => ({ contents: `export default ${bytes};` }));
    } });
    const inline = inside(inText(wasmFile));
    const parts = { name: "parts", setup(b) {
      b.onResolve({ filter: /^#vocabulary\// }, ({ path }) => ({ path: `./vocab/${path.split("/").at(-1)}${suffix}`, external: true }));
      b.onResolve({ filter: /^\.\/count-inline\.ts$/ }, () => ({ path: `./count-inline${suffix}`, external: true }));
    } };
    for (const name of vocabularyNames) {
      const { code } = await esbuild.transform(`export const bytes = ${inText(join(vocabDir, `${name}.vocab`))};`, { format });
      writeFileSync(join(dist, "vocab", `${name}${suffix}`), code);
    }
    await esbuild.build({ ...common, entryPoints: { core: join(root, "js", "internal.ts") }, outdir: dist, plugins: [glue] });
    await esbuild.build({ ...common, entryPoints: { prompt: join(root, "js", "prompt", "index.ts") }, outdir: dist, plugins: [core] });
    await esbuild.build({ ...common, entryPoints: { providers: join(root, "js", "providers", "index.ts") }, outdir: dist, plugins: [shared] });
    const jsx = Object.fromEntries(["jsx-runtime", "jsx-dev-runtime"].map((name) => [name, join(root, "js", "jsx", `${name}.ts`)]));
    await esbuild.build({ ...common, entryPoints: { ...jsx, raw: join(root, "js", "prompt", "output", "raw.ts"), "openai-types": join(root, "js", "prompt", "output", "openai-types.ts") }, outdir: dist });
    const dir = format === "esm" ? "import.meta.url ? new URL(\"./\", import.meta.url) : typeof __dirname === \"string\" ? __dirname : undefined"
      : "typeof __dirname === \"string\" ? __dirname : undefined";
    await esbuild.build({ ...common, entryPoints: { node: entry("node") }, outdir: dist, plugins: [core, prompt], banner: { js: `const ESPALIER_DIR = ${dir};` } });
    await esbuild.build({ ...common, entryPoints: { inline: entry("inline"), slim: entry("slim") }, outdir: dist, plugins: [core, prompt, inline] });
    await esbuild.build({ ...common, entryPoints: { "count-core": join(root, "js", "count", "internal.ts") }, outdir: dist, plugins: [countGlue] });
    await esbuild.build({ ...common, entryPoints: { "count-node": entry("count-node") }, outdir: dist, plugins: [count], banner: { js: `const ESPALIER_DIR = ${dir};` } });
    await esbuild.build({ ...common, entryPoints: { "count-inline": entry("count-inline") }, outdir: dist, plugins: [count, inside(inHex(countFile))] });
    const complete = Object.fromEntries(vocabularyNames.map((name) => [`count-${name}`, entry(`count-${name}`)]));
    await esbuild.build({ ...common, entryPoints: complete, outdir: dist, plugins: [count, parts] });
    // A worker is alone in its realm: one file, with everything inside.
    await esbuild.build({ ...common, entryPoints: { worker: entry("worker") }, outdir: dist, plugins: [countGlue, inside(inHex(countFile))] });
    const dropIns = Object.fromEntries(["node", "inline", ...(format === "esm" ? ["web"] : [])].map((name) => [`prompt-tsx-${name}`, entry(`prompt-tsx-${name}`)]));
    await esbuild.build({ ...common, entryPoints: dropIns, outdir: dist, plugins: [core, prompt] });
    if (format === "esm") {
      await esbuild.build({ ...common, entryPoints: { web: entry("web") }, outdir: dist, plugins: [core, prompt] });
      await esbuild.build({ ...common, entryPoints: { "count-web": entry("count-web") }, outdir: dist, plugins: [count] });
      const cli = join(root, "js", "cli", "main.ts");
      if (existsSync(cli)) {
        const node = { name: "node", setup(b) { b.onResolve({ filter: /(entries\/node|providers\/index)\.ts$/ }, ({ path }) => ({ path: path.includes("node") ? "./node.js" : "./providers.js", external: true })); } };
        await esbuild.build({ ...common, platform: "node", entryPoints: { cli }, outdir: dist, plugins: [node, core] });
      }
    }
  }
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
