/**
 * The JavaScript of the package: for each module format one chunk with everything that keeps state (`core`, `count-core`
 * for the engine that only counts, `workspace-core` for search and inline context), and entries that import it, so that all of them share one engine.
 *
 * White space and syntax are minified. Names stay: tracers and errors show those of classes, and bundlers shorten them
 * anyway. There are no source maps; they would add 0.2 MB to the download for names that are there.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib.mjs";

const entry = (name) => join(root, "js", "entries", `${name}.ts`);
/** The entries of search and of inline context, which share an engine. */
const both = (name) => [`search-${name}`, `inline-context-${name}`];
const entries = (...names) => Object.fromEntries(names.map((name) => [name, entry(name)]));

/**
 * @param dist where the bundles go; engines, vocabularies and grammars are there already
 * @param glues the folder with the generated glue of the engines
 * @param grammars size and SHA-256 of each grammar, by name
 */
export async function bundles({ dist, glues, grammars }) {
  const esbuild = await import("esbuild");
  const names = {};
  for (const name of ["core", "count/public", "search/public", "inline-context/public"]) names[name] = await exportsOf(esbuild, `${name}.ts`);
  for (const [format, suffix] of [["esm", ".js"], ["cjs", ".cjs"]]) {
    const isModule = format === "esm";
    writeBytes(dist, suffix);
    writeGrammars(dist, Object.keys(grammars), suffix);
    const common = {
      bundle: true, format, platform: "neutral", target: "es2022", external: ["node:*"], logLevel: "warning", outdir: dist,
      minifyWhitespace: true, minifySyntax: true, charset: "utf8", legalComments: "none", outExtension: { ".js": suffix },
      define: { ESPALIER_GRAMMARS: JSON.stringify(grammars), ...(!isModule && { "import.meta.url": "undefined" }) },
    };
    const make = (entryPoints, plugins = [], more = {}) => esbuild.build({ ...common, entryPoints, plugins, ...more });
    const plugins = pluginsOf(names, suffix);
    const glue = (file) => ({ name: "glue", setup(b) { b.onResolve({ filter: /^#glue$/ }, () => ({ path: join(glues, file) })); } });
    const onDisk = { banner: { js: here(isModule) } };

    await make({ core: join(root, "js", "internal.ts") }, [glue("glue.js")]);
    await make({ functions: join(glues, "functions.js") });
    await make({ prompt: join(root, "js", "prompt", "index.ts") }, [plugins.core, plugins.prompt]);
    await make({ providers: join(root, "js", "providers", "index.ts") }, [plugins.shared]);
    await make({ sessions: join(root, "js", "sessions", "index.ts") }, [plugins.shared]);
    const jsx = Object.fromEntries(["jsx-runtime", "jsx-dev-runtime"].map((name) => [name, join(root, "js", "jsx", `${name}.ts`)]));
    const output = (name) => join(root, "js", "prompt", "output", `${name}.ts`);
    await make({ ...jsx, raw: output("raw"), "openai-types": output("openai-types") });

    const parts = [plugins.core, plugins.entries, plugins.bytes];
    await make(entries("node", "bundle"), parts, onDisk);
    await make(entries("slim", "inline", "inline-o200k_base", "inline-cl100k_base", "prompt-tsx-node", "prompt-tsx-inline"), parts);

    const countParts = [plugins.count, plugins.entries, plugins.bytes];
    await make({ "count-core": join(root, "js", "count", "internal.ts") }, [glue("count-glue.js")]);
    await make(entries("count-node"), countParts, onDisk);
    await make(entries("count-inline", "count-o200k_base", "count-cl100k_base"), countParts);

    const workspaceParts = [plugins.workspace, plugins.entries, plugins.bytes];
    await make({ "workspace-core": join(root, "js", "workspace", "internal.ts") }, [glue("workspace-glue.js")]);
    await make(entries("workspace-node"), workspaceParts, onDisk);
    await make(entries(...both("node"), "workspace-inline", ...both("inline"), "search-o200k_base", "search-cl100k_base"), workspaceParts);
    // A worker is alone in its realm: one file, with everything inside.
    await make(entries("worker"), [glue("count-glue.js"), bytesInside(dist)]);
    await make(entries("search-worker"), [glue("workspace-glue.js"), bytesInside(dist)]);

    if (!isModule) continue;
    await make(entries("web", "prompt-tsx-web", "prompt-tsx-bundle", "prompt-tsx-workerd"), parts);
    await make(entries("workerd", "workerd-o200k_base", "workerd-cl100k_base"), parts);
    await make(entries("count-web", "count-bundle", "count-workerd", "count-workerd-cl100k_base"), countParts);
    const bundled = ["web", "bundle", "workerd"];
    await make(entries(...bundled.flatMap((name) => [`workspace-${name}`, ...both(name)])), workspaceParts);
    const cli = join(root, "js", "cli", "main.ts");
    if (existsSync(cli)) await make({ cli }, [plugins.node, plugins.core], { platform: "node" });
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

async function exportsOf(esbuild, file) {
  const { metafile } = await esbuild.build({
    entryPoints: [join(root, "js", file)], write: false, metafile: true, format: "esm", outdir: root, logLevel: "warning",
  });
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports);
}

const IN_CORE = /^\.\.?\/((\.\.\/)?(core|engine|vocabulary|errors|init|api|tokens|documents|log\/loader|adapters\/vscode-classes)|adapters\/index)\.ts$/;
/** What histories in prompts need of it beside that. */
const FOR_PROMPTS = /^\.\.\/\.\.\/(adapters\/convert|validity|tool-results|conversation\/(names|open)|count\/text)\.ts$/;
const ENTRIES = /^\.\/(node|web|bundle|workerd|inline|count-inline|count-workerd|search-inline|search-node|workspace-\w+)\.ts$/;

function pluginsOf(names, suffix) {
  const external = (path) => ({ path, external: true });
  /** What keeps state is in a chunk; entries reach it as an external file beside them, and pass on what is public. */
  const sharing = (chunk, ...sources) => ({ name: chunk, setup(b) {
    for (const source of sources) {
      const filter = new RegExp(`^\\.\\./${source}\\.ts$`);
      b.onResolve({ filter }, ({ kind }) => (kind === "import-statement" ? { path: source, namespace: "public" } : undefined));
    }
    b.onLoad({ filter: /.*/, namespace: "public" }, ({ path }) => ({ contents: `export { ${names[path].join(", ")} } from "./core.ts";` }));
    b.onResolve({ filter: IN_CORE }, () => external(`./${chunk}${suffix}`));
  } });
  return {
    core: sharing("core", "core"),
    prompt: { name: "prompt", setup(b) {
      b.onResolve({ filter: FOR_PROMPTS }, () => external(`./core${suffix}`));
    } },
    count: sharing("count-core", "count/public"),
    workspace: sharing("workspace-core", "search/public", "inline-context/public"),
    // Providers and sessions need errors and adapters, from two depths of folders.
    shared: { name: "shared", setup(b) {
      b.onResolve({ filter: /^(\.\.\/){1,2}(errors|adapters\/index)\.ts$/ }, () => external(`./core${suffix}`));
    } },
    // Elements are told apart by their classes, so that there may be only one of each.
    entries: { name: "entries", setup(b) {
      b.onResolve({ filter: /^\.\.\/prompt\/index\.ts$/ }, () => external(`./prompt${suffix}`));
      b.onResolve({ filter: ENTRIES }, ({ path }) => external(path.replace(/\.ts$/, suffix)));
    } },
    bytes: { name: "bytes", setup(b) {
      b.onResolve({ filter: /^#bytes\// }, ({ path }) => external(`./bytes/${path.slice("#bytes/".length)}${suffix}`));
      b.onResolve({ filter: /^#engine-module$/ }, () => external("./espalier.wasm"));
      b.onResolve({ filter: /^#count-module$/ }, () => external("./count.wasm"));
      b.onResolve({ filter: /^#workspace-module$/ }, () => external("./workspace.wasm"));
    } },
    node: { name: "node", setup(b) {
      b.onResolve({ filter: /entries\/node\.ts$/ }, () => external("./node.js"));
      b.onResolve({ filter: /entries\/search-node\.ts$/ }, () => external("./search-node.js"));
      b.onResolve({ filter: /providers\/index\.ts$/ }, () => external("./providers.js"));
      b.onResolve({ filter: /sessions\/index\.ts$/ }, () => external("./sessions.js"));
    } },
  };
}

const BYTES = {
  engine: "espalier.wasm", count: "count.wasm", workspace: "workspace.wasm",
  o200k_base: "vocab/o200k_base.vocab", cl100k_base: "vocab/cl100k_base.vocab",
};

/** JavaScript of a function that returns the bytes of a file. */
function bytesOf(dist, name) {
  const file = readFileSync(join(dist, BYTES[name]));
  const copy = (length, byte) => `const bytes=new Uint8Array(${length});for(let i=0;i<bytes.length;i++)bytes[i]=${byte};return bytes`;
  if (name !== "count") return `()=>{const raw=atob("${file.toString("base64")}");${copy("raw.length", "raw.charCodeAt(i)")}}`;
  // Hexadecimal digits are half as large again before compression, but a byte is always the same two characters, so that
  // brotli makes 41 kB of the engine that only counts instead of 50.
  const digit = "digit=(at)=>{const code=raw.charCodeAt(at);return code<58?code-48:code-87}";
  return `()=>{const raw="${file.toString("hex")}",${digit};${copy("raw.length/2", "digit(2*i)*16+digit(2*i+1)")}}`;
}

/** Files as JavaScript, once for each format. */
function writeBytes(dist, suffix) {
  mkdirSync(join(dist, "bytes"), { recursive: true });
  const head = suffix === ".js" ? "export default " : "module.exports=";
  for (const name of Object.keys(BYTES)) writeFileSync(join(dist, "bytes", `${name}${suffix}`), `${head}${bytesOf(dist, name)};\n`);
}

function bytesInside(dist) {
  return { name: "inside", setup(b) {
    b.onResolve({ filter: /^#bytes\// }, ({ path }) => ({ path: path.slice("#bytes/".length), namespace: "bytes" }));
    b.onLoad({ filter: /.*/, namespace: "bytes" }, ({ path }) => ({ contents: `export default ${bytesOf(dist, path)};` }));
  } };
}

/**
 * One import for each grammar, and `index` for all: it makes a bundler take the file along. CommonJS needs none of that,
 * since Node reads the files and bundlers take the ES modules.
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
  for (const prefix of ["", "workerd-"]) write(`${prefix}index`, ...grammars.map((name) => `import "./${prefix}${name}.js";`));
}
