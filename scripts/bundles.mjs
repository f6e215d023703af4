/**
 * Makes the JavaScript of the package: for each module format one chunk with everything that has state (`core`,
 * `count-core` for the engine that only counts, `workspace-core` for search and inline context), and entries that
 * import it, so that all of them share one engine.
 *
 * All files are minified, with source maps beside them. The elements of prompts keep their names, since explanations
 * and tracers show them (`KEEPS_NAMES`).
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { deflateRawSync } from "node:zlib";
import { DEEP, FILES as ENTRY_FILES, fileOf, ONLY_MODULES, ON_DISK, SDKS, VARIANTS } from "./entries.mjs";
import { refuseUnlisted } from "./licences.mjs";
import { root } from "./lib.mjs";
import { tracePage } from "./trace-page.mjs";

const source = (file) => join(root, "js", file);

/** The chunks with state, by their module. */
const CHUNKS = { core: "core", count: "count-core", workspace: "workspace-core" };
/** The bundle whose classes and functions keep their names; for all bundles that would make the download 7 % larger. */
const KEEPS_NAMES = "prompt";
/** Bundles beside the entries. */
const BESIDE = {
  prompt: "prompt/index.ts",
  providers: "providers/index.ts",
  sessions: "sessions/index.ts",
  ...Object.fromEntries(SDKS.map((name) => [name, `sdk/${name}.ts`])),
};
const chunkSource = (chunk) => source(`entries/chunks/${chunk}.ts`);
const engineSource = (name) => source(`entries/engines/${name}.ts`);
const engines = (variants, chunks = Object.keys(CHUNKS)) =>
  chunks.flatMap((chunk) => variants.map((variant) => `${chunk}-${variant}`));

/**
 * @param dist the output folder, which already contains engines, vocabularies and grammars
 * @param glues the folder with the generated glue of the engines
 * @param grammars size and SHA-256 of each grammar, by name
 */
export async function bundles({ dist, glues, grammars }) {
  const esbuild = await import("esbuild");
  const trace = JSON.stringify(await tracePage());
  const chunks = Object.fromEntries(
    await Promise.all(Object.keys(CHUNKS).map(async (chunk) => [chunk, await modulesOf(esbuild, chunkSource(chunk))])),
  );
  for (const [format, suffix] of [
    ["esm", ".js"],
    ["cjs", ".cjs"],
  ]) {
    const isModule = format === "esm";
    writeBytes(dist, suffix);
    writeFileSync(join(dist, `trace-page${suffix}`), `${isModule ? "export default " : "module.exports="}${trace};\n`);
    writeGrammars(dist, Object.keys(grammars), suffix);
    const common = {
      bundle: true,
      format,
      platform: "neutral",
      target: "es2022",
      external: ["node:*"],
      logLevel: "warning",
      outdir: dist,
      minify: true,
      // Node shows the line of an uncaught error: one of 60 kB would hide the message.
      lineLimit: 500,
      sourcemap: "linked",
      charset: "utf8",
      legalComments: "none",
      outExtension: { ".js": suffix },
      define: {
        ESPALIER_GRAMMARS: JSON.stringify(grammars),
        // In ES modules webpack leaves `require` alone. Where a page is an ES module, webpack warns of its own name for
        // it, and Rspack imports `node:module`, which no browser has.
        ...(isModule ? { __non_webpack_require__: "undefined" } : { "import.meta.url": "undefined" }),
      },
    };
    const make = async (entryPoints, plugins = [], more = {}) => {
      const { metafile } = await esbuild.build({ ...common, entryPoints, plugins, metafile: true, ...more });
      const inputs = Object.keys(metafile.inputs);
      refuseUnlisted(inputs);
      return inputs;
    };
    /** Plugins that replace a file's imports of other files of the package. */
    const of = (chunk) => [beside(chunks[chunk], chunk, suffix), bytes(suffix)];
    const glue = (file) => ({
      name: "glue",
      setup(b) {
        b.onResolve({ filter: /^#glue$/ }, () => ({ path: join(glues, file) }));
      },
    });
    const glueOf = { core: "glue.js", count: "count-glue.js", workspace: "workspace-glue.js" };

    const held = {};
    for (const [chunk, name] of Object.entries(CHUNKS))
      held[chunk] = await make({ [name]: chunkSource(chunk) }, [glue(glueOf[chunk])]);
    await make({ functions: join(glues, "functions.js") });
    for (const [name, file] of Object.entries(BESIDE)) {
      const inside = await make({ [name]: source(file) }, of("core"), { keepNames: name === KEEPS_NAMES });
      refuseTwoStates(inside.filter((file) => held.core.includes(file)));
    }
    const jsx = Object.fromEntries(["jsx-runtime", "jsx-dev-runtime"].map((name) => [name, source(`jsx/${name}.ts`)]));
    await make({
      ...jsx,
      ...Object.fromEntries(Object.values(DEEP).map(([list, file]) => [file, source(`${list}.ts`)])),
    });

    const isMade = (variant) => isModule || !ONLY_MODULES.includes(variant);
    for (const chunk of Object.keys(CHUNKS)) {
      for (const onDisk of [true, false]) {
        const variants = VARIANTS.filter((variant) => isMade(variant) && ON_DISK.includes(variant) === onDisk);
        const modules = engines(variants, [chunk]).map((name) => [`engine-${name}`, engineSource(name)]);
        await make(Object.fromEntries(modules), of(chunk), onDisk ? { banner: { js: here(isModule) } } : {});
        const files = ENTRY_FILES.filter(
          (one) => one.chunk === chunk && isMade(one.variant) && ON_DISK.includes(one.variant) === onDisk,
        );
        const points = Object.fromEntries(files.map(({ file }) => [file, `entry:${file}`]));
        await make(points, [written(files), ...(onDisk ? [] : [withoutNode]), ...of(chunk)]);
        for (const { file, variant } of files) if (variant === "bundle") nameForTracers(join(dist, `${file}.js`));
      }
    }
    // A worker has a realm of its own: one file contains everything.
    await make({ worker: source("entries/worker.ts") }, [glue(glueOf.count), bytesInside(dist)]);
    await make({ "search-worker": source("entries/search-worker.ts") }, [glue(glueOf.workspace), bytesInside(dist)]);
    for (const name of ["worker", "search-worker"]) mapWithoutBytes(join(dist, `${name}${suffix}.map`));

    if (isModule) await make({ cli: source("cli/main.ts") }, of("core"), { platform: "node" });
  }
}

/**
 * Returns the text of entries: imports of the modules that register where the engine is, then the list. The list is
 * written out, since esbuild would resolve a `*` that is exported from a second file only when the entry runs.
 */
function written(files) {
  return {
    name: "written",
    setup(b) {
      b.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice("entry:".length), namespace: "entry" }));
      b.onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => {
        const { list, runs } = files.find(({ file }) => file === path);
        const from = source(`${list}.ts`);
        const imports = runs.map((name) => `import "./${relative(dirname(from), engineSource(name))}";\n`);
        return { contents: imports.join("") + readFileSync(from, "utf8"), resolveDir: dirname(from), loader: "ts" };
      });
    },
  };
}

/**
 * Names the variant `node` in an entry's variant `bundle`. Nitro, and Nuxt with it, resolves the latter by the
 * condition `module` and copies what it imports beside the server, but leaves the import in the server's code, where
 * Node resolves the former. Tracers follow an import in a dead branch, and bundlers drop it.
 */
function nameForTracers(file) {
  const twin = basename(file).replace(/-bundle\.js$/, "-node.js");
  const text = readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=/m, `if (false) import("./${twin}");\n$&`);
  writeFileSync(file, text);
}

/** Replaces modules that need Node's files by modules that throw. */
const withoutNode = {
  name: "without-node",
  setup(b) {
    const twin = (filter, path) => b.onResolve({ filter }, () => ({ path: source(path) }));
    twin(/\/conversation\/node-storage\.ts$/, "conversation/no-node-storage.ts");
    twin(/\/sources\/node\.ts$/, "search/sources/no-node.ts");
  },
};

/**
 * Returns the URL or the folder of the running file: see js/entries/engines/files.ts. It is a banner, which no minifier
 * turns into the `new URL(…, import.meta.url)` that bundlers follow. Only engines that read files have it: Rollup's
 * CommonJS turns `import.meta.url` into a call of Node's `require("url")`, which throws in an extension for the web.
 */
function here(isModule) {
  const folder = 'typeof __dirname === "string" ? __dirname + "/" : undefined';
  return `const ESPALIER_HERE = ${isModule ? `import.meta.url || (${folder})` : folder};`;
}

/**
 * Returns the modules that a chunk and its lists import: they have state, and every other file imports them from the
 * chunk.
 */
async function modulesOf(esbuild, chunk) {
  const { metafile } = await esbuild.build({
    entryPoints: [chunk],
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
    metafile.inputs[relative(root, file)].imports
      .filter(({ external }) => !external)
      .map(({ path }) => join(root, path));
  const isList = (file) => dirname(file) === source("entries");
  return [chunk, ...direct(chunk).filter(isList)].flatMap(direct).filter((file) => !isList(file));
}

/**
 * Throws if a second bundle contains a copy of a module with state, which would have two states then: the list of the
 * chunk must name it.
 */
function refuseTwoStates(files) {
  const keeping = files.filter(
    (file) =>
      file.endsWith(".ts") &&
      /^(export )?(let |const \w+(: [^=]+)? = new (Weak)?(Map|Set|Ref)\b(<[^>]*>)?\(\))/m.test(
        readFileSync(join(root, file), "utf8"),
      ),
  );
  if (keeping.length > 0)
    throw new Error(`js/entries/chunks/core.ts must export what other bundles import of ${keeping.join(", ")}`);
}

/**
 * Replaces imports of the content of other files of the package: modules of the chunk, engines, the search (only files
 * for Node import it from the core), and the other bundles (elements are identified by their classes, so there may be
 * only one copy of each).
 */
function beside(modules, own, suffix) {
  const files = new Map([
    ...modules.map((file) => [file, CHUNKS[own]]),
    ...engines(VARIANTS).map((name) => [engineSource(name), `engine-${name}`]),
    ...(own === "core" ? [[source("entries/search.ts"), fileOf("search", "node")]] : []),
    ...Object.entries(BESIDE).map(([name, file]) => [source(file), name]),
  ]);
  return {
    name: own,
    setup(b) {
      b.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind === "entry-point") return undefined;
        const file = files.get(join(resolveDir, path));
        return file === undefined ? undefined : { path: `./${file}${suffix}`, external: true };
      });
    },
  };
}

function bytes(suffix) {
  const external = (path) => ({ path, external: true });
  return {
    name: "bytes",
    setup(b) {
      b.onResolve({ filter: /^#bytes\// }, ({ path }) => external(`./bytes/${path.slice("#bytes/".length)}${suffix}`));
      b.onResolve({ filter: /^#trace-page$/ }, () => external(`./trace-page${suffix}`));
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

/** Engines that are also there deflated, for bundles for Node: only ES modules. */
const DEFLATED = ["engine", "count", "workspace"];

/** Returns JavaScript of a function that returns the deflated bytes of a file, in Node. */
function deflatedOf(dist, name) {
  const text = deflateRawSync(readFileSync(join(dist, BYTES[name])), { level: 9 }).toString("base64");
  return `()=>Buffer.from("${text}","base64")`;
}

/** Returns JavaScript of a function that returns the bytes of a file. */
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

/** Writes files as JavaScript, once for each format. */
function writeBytes(dist, suffix) {
  mkdirSync(join(dist, "bytes"), { recursive: true });
  const head = suffix === ".js" ? "export default " : "module.exports=";
  for (const name of Object.keys(BYTES))
    writeFileSync(join(dist, "bytes", `${name}${suffix}`), `${head}${bytesOf(dist, name)};\n`);
  if (suffix !== ".js") return;
  for (const name of DEFLATED)
    writeFileSync(join(dist, "bytes", `${name}-deflated.js`), `${head}${deflatedOf(dist, name)};\n`);
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
 * Removes the bytes that `bytesInside` wrote from the texts of a source map. A source without a text is a missing file
 * to Vite, which warns.
 */
function mapWithoutBytes(file) {
  const map = JSON.parse(readFileSync(file, "utf8"));
  map.sourcesContent = map.sources.map((name, index) => (name.startsWith("bytes:") ? "" : map.sourcesContent[index]));
  writeFileSync(file, JSON.stringify(map));
}

/**
 * Writes one import for each grammar, and `index` for all: a bundler then includes the file. CommonJS needs none, since
 * Node reads the files and bundlers use the ES modules.
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
