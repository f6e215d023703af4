/**
 * The JavaScript of the package: for each module format one chunk with everything that keeps state (`core`,
 * `count-core` for the engine that only counts, `workspace-core` for search and inline context), and entries that
 * import it, so that all of them share one engine.
 *
 * White space and syntax are minified. Names stay: tracers and errors show those of classes, and bundlers shorten them
 * anyway. There are no source maps; they would add 0.2 MB to the download for names that are there.
 */

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./lib.mjs";

const source = (file) => join(root, "js", file);

/** The chunks that keep state: the module each is made from, and its lists of what hosts may import. */
const CHUNKS = {
  core: { module: "entries/core-chunk.ts", open: ["entries/core-public.ts"] },
  "count-core": { module: "entries/count-chunk.ts", open: ["entries/count-public.ts"] },
  "workspace-core": {
    module: "entries/workspace-chunk.ts",
    open: ["entries/search-public.ts", "entries/inline-context-public.ts"],
  },
};
/** Bundles beside the entries. */
const FILES = { prompt: "prompt/index.ts", providers: "providers/index.ts", sessions: "sessions/index.ts" };
/** Files in `js/entries` that are parts of entries or of chunks. */
const PART = /^(files|grammar-files|grammar)\.ts$|-(chunk|public)\.ts$|\.d\.ts$/;

/** The entries of search and of inline context, which share an engine. */
const both = (name) => [`search-${name}`, `inline-context-${name}`];
const entries = (...names) => Object.fromEntries(names.map((name) => [name, source(`entries/${name}.ts`)]));

/**
 * @param dist where the bundles go; engines, vocabularies and grammars are there already
 * @param glues the folder with the generated glue of the engines
 * @param grammars size and SHA-256 of each grammar, by name
 */
export async function bundles({ dist, glues, grammars }) {
  const esbuild = await import("esbuild");
  const chunks = Object.fromEntries(
    await Promise.all(Object.entries(CHUNKS).map(async ([name, chunk]) => [name, await contents(esbuild, chunk)])),
  );
  for (const [format, suffix] of [
    ["esm", ".js"],
    ["cjs", ".cjs"],
  ]) {
    const isModule = format === "esm";
    writeBytes(dist, suffix);
    writeGrammars(dist, Object.keys(grammars), suffix);
    const common = {
      bundle: true,
      format,
      platform: "neutral",
      target: "es2022",
      external: ["node:*"],
      logLevel: "warning",
      outdir: dist,
      minifyWhitespace: true,
      minifySyntax: true,
      charset: "utf8",
      legalComments: "none",
      outExtension: { ".js": suffix },
      define: { ESPALIER_GRAMMARS: JSON.stringify(grammars), ...(!isModule && { "import.meta.url": "undefined" }) },
    };
    const make = async (entryPoints, plugins = [], more = {}) => {
      const { metafile } = await esbuild.build({ ...common, entryPoints, plugins, metafile: true, ...more });
      return Object.keys(metafile.inputs);
    };
    /** Chunks and entries, each with what it imports from other files of the package. */
    const of = (chunk) => [beside(chunks[chunk], chunk, suffix), bytes(suffix)];
    const glue = (file) => ({
      name: "glue",
      setup(b) {
        b.onResolve({ filter: /^#glue$/ }, () => ({ path: join(glues, file) }));
      },
    });
    const onDisk = { banner: { js: here(isModule) } };

    const inCore = await make({ core: source(CHUNKS.core.module) }, [glue("glue.js")]);
    await make({ functions: join(glues, "functions.js") });
    const inOthers = await make(
      { prompt: source(FILES.prompt), providers: source(FILES.providers), sessions: source(FILES.sessions) },
      of("core"),
    );
    refuseTwoStates(inOthers.filter((file) => inCore.includes(file)));
    const jsx = Object.fromEntries(["jsx-runtime", "jsx-dev-runtime"].map((name) => [name, source(`jsx/${name}.ts`)]));
    await make({
      ...jsx,
      raw: source("formats/raw/prompt.ts"),
      "openai-types": source("formats/openai/prompt-types.ts"),
    });

    await make(entries("node", "bundle"), of("core"), onDisk);
    await make(
      entries("slim", "inline", "inline-o200k_base", "inline-cl100k_base", "prompt-tsx-node", "prompt-tsx-inline"),
      of("core"),
    );

    await make({ "count-core": source(CHUNKS["count-core"].module) }, [glue("count-glue.js")]);
    await make(entries("count-node"), of("count-core"), onDisk);
    await make(entries("count-inline", "count-o200k_base", "count-cl100k_base"), of("count-core"));

    await make({ "workspace-core": source(CHUNKS["workspace-core"].module) }, [glue("workspace-glue.js")]);
    await make(entries("workspace-node"), of("workspace-core"), onDisk);
    await make(
      entries(...both("node"), "workspace-inline", ...both("inline"), "search-o200k_base", "search-cl100k_base"),
      of("workspace-core"),
    );
    // A worker is alone in its realm: one file, with everything inside.
    await make(entries("worker"), [glue("count-glue.js"), bytesInside(dist)]);
    await make(entries("search-worker"), [glue("workspace-glue.js"), bytesInside(dist)]);

    if (!isModule) continue;
    await make(entries("web", "prompt-tsx-web", "prompt-tsx-bundle", "prompt-tsx-workerd"), of("core"));
    await make(entries("workerd", "workerd-o200k_base", "workerd-cl100k_base"), of("core"));
    await make(entries("count-web", "count-bundle", "count-workerd", "count-workerd-cl100k_base"), of("count-core"));
    const bundled = ["web", "bundle", "workerd"];
    await make(entries(...bundled.flatMap((name) => [`workspace-${name}`, ...both(name)])), of("workspace-core"));
    await make({ cli: source("cli/main.ts") }, of("core"), { platform: "node" });
  }
}

/**
 * The URL or the folder of the running file: see js/entries/files.ts. It is a banner, which no minifier turns into the
 * `new URL(…, import.meta.url)` that bundlers follow.
 */
function here(isModule) {
  const folder = 'typeof __dirname === "string" ? __dirname + "/" : undefined';
  return `const ESPALIER_HERE = ${isModule ? `import.meta.url || (${folder})` : folder};`;
}

/**
 * Names that `module` exports, and the modules it re-exports them from: these keep state, and every other file imports
 * them from the chunk.
 */
async function contents(esbuild, { module, open }) {
  const { metafile } = await esbuild.build({
    entryPoints: [source(module)],
    write: false,
    metafile: true,
    bundle: true,
    format: "esm",
    outdir: root,
    absWorkingDir: root,
    logLevel: "error",
    external: ["node:*", "#*"],
    define: { ESPALIER_GRAMMARS: "{}" },
  });
  const direct = (file) =>
    metafile.inputs[relative(root, source(file))].imports
      .filter(({ external }) => !external)
      .map(({ path }) => join(root, path));
  const lists = new Set([module, ...open].map(source));
  const modules = new Set([module, ...open].flatMap(direct).filter((file) => !lists.has(file)));
  const names = Object.fromEntries(
    await Promise.all(open.map(async (file) => [source(file), await exportsOf(esbuild, file)])),
  );
  return { modules, names };
}

/** A module that keeps state, copied into a second bundle, would keep it twice: the list of the chunk must name it. */
function refuseTwoStates(files) {
  const keeping = files.filter(
    (file) =>
      file.endsWith(".ts") &&
      /^(export )?(let |const \w+(: [^=]+)? = new (Weak)?(Map|Set|Ref)\b(<[^>]*>)?\(\))/m.test(
        readFileSync(join(root, file), "utf8"),
      ),
  );
  if (keeping.length > 0)
    throw new Error(`js/entries/core-chunk.ts must export what other bundles import of ${keeping.join(", ")}`);
}

async function exportsOf(esbuild, file) {
  const { metafile } = await esbuild.build({
    entryPoints: [source(file)],
    write: false,
    metafile: true,
    format: "esm",
    outdir: root,
    logLevel: "warning",
  });
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports);
}

/**
 * Imports of what another file of the package holds: modules of the chunk, entries, and the other bundles (elements are
 * told apart by their classes, so that there may be only one of each). An entry re-exports the open lists of its chunk
 * by name.
 */
function beside({ modules, names }, chunk, suffix) {
  const files = new Map([
    ...[...modules].map((file) => [file, chunk]),
    ...Object.entries(FILES).map(([name, file]) => [source(file), name]),
    ...readdirSync(join(root, "js", "entries"))
      .filter((file) => !PART.test(file))
      .map((file) => [source(`entries/${file}`), file.replace(/\.ts$/, "")]),
  ]);
  return {
    name: chunk,
    setup(b) {
      b.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind === "entry-point") return undefined;
        const file = join(resolveDir, path);
        if (file in names) return { path: file, namespace: "open" };
        return files.has(file) ? { path: `./${files.get(file)}${suffix}`, external: true } : undefined;
      });
      b.onLoad({ filter: /.*/, namespace: "open" }, ({ path }) => ({
        contents: `export { ${names[path].join(", ")} } from "./${chunk}${suffix}";`,
        resolveDir: root,
      }));
      b.onResolve({ filter: /.*/, namespace: "open" }, ({ path }) => ({ path, external: true }));
    },
  };
}

function bytes(suffix) {
  const external = (path) => ({ path, external: true });
  return {
    name: "bytes",
    setup(b) {
      b.onResolve({ filter: /^#bytes\// }, ({ path }) => external(`./bytes/${path.slice("#bytes/".length)}${suffix}`));
      b.onResolve({ filter: /^#engine-module$/ }, () => external("./espalier.wasm"));
      b.onResolve({ filter: /^#count-module$/ }, () => external("./count.wasm"));
      b.onResolve({ filter: /^#workspace-module$/ }, () => external("./workspace.wasm"));
    },
  };
}

const BYTES = {
  engine: "espalier.wasm",
  count: "count.wasm",
  workspace: "workspace.wasm",
  o200k_base: "vocab/o200k_base.vocab",
  cl100k_base: "vocab/cl100k_base.vocab",
};

/** JavaScript of a function that returns the bytes of a file. */
function bytesOf(dist, name) {
  const file = readFileSync(join(dist, BYTES[name]));
  const copy = (length, byte) =>
    `const bytes=new Uint8Array(${length});for(let i=0;i<bytes.length;i++)bytes[i]=${byte};return bytes`;
  if (name !== "count")
    return `()=>{const raw=atob("${file.toString("base64")}");${copy("raw.length", "raw.charCodeAt(i)")}}`;
  // Hexadecimal digits are half as large again before compression, but a byte is always the same two characters, so
  // that brotli makes 41 kB of the engine that only counts instead of 50.
  const digit = "digit=(at)=>{const code=raw.charCodeAt(at);return code<58?code-48:code-87}";
  return `()=>{const raw="${file.toString("hex")}",${digit};${copy("raw.length/2", "digit(2*i)*16+digit(2*i+1)")}}`;
}

/** Files as JavaScript, once for each format. */
function writeBytes(dist, suffix) {
  mkdirSync(join(dist, "bytes"), { recursive: true });
  const head = suffix === ".js" ? "export default " : "module.exports=";
  for (const name of Object.keys(BYTES))
    writeFileSync(join(dist, "bytes", `${name}${suffix}`), `${head}${bytesOf(dist, name)};\n`);
}

function bytesInside(dist) {
  return {
    name: "inside",
    setup(b) {
      b.onResolve({ filter: /^#bytes\// }, ({ path }) => ({ path: path.slice("#bytes/".length), namespace: "bytes" }));
      b.onLoad({ filter: /.*/, namespace: "bytes" }, ({ path }) => ({
        contents: `export default ${bytesOf(dist, path)};`,
      }));
    },
  };
}

/**
 * One import for each grammar, and `index` for all: it makes a bundler take the file along. CommonJS needs none of
 * that, since Node reads the files and bundlers take the ES modules.
 */
function writeGrammars(dist, grammars, suffix) {
  const write = (name, ...lines) => writeFileSync(join(dist, "grammars", `${name}${suffix}`), `${lines.join("\n")}\n`);
  if (suffix === ".cjs") return ["index", ...grammars].forEach((name) => write(name, '"use strict";'));
  const core = 'import { setGrammarFile } from "../core.js";';
  for (const name of grammars) {
    const file = `./tree-sitter-${name}.wasm`;
    const place = `import.meta.url ? new URL("${file}", import.meta.url) : undefined`;
    write(name, core, `setGrammarFile("${name}", () => ${place});`);
    write(`workerd-${name}`, core, `import grammar from "${file}";`, `setGrammarFile("${name}", () => grammar);`);
  }
  for (const prefix of ["", "workerd-"])
    write(`${prefix}index`, ...grammars.map((name) => `import "./${prefix}${name}.js";`));
}
