/**
 * Builds the playground into `build/www`: pages, workers, engines, vocabularies, examples. The pages request no address
 * outside of it.
 */

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { copyGrammars, grammarSums } from "./build.mjs";
import { tracePage } from "./trace-page.mjs";
import { build as out, cached, hash, root, step } from "./lib.mjs";

const glue = (file) => ({
  name: "glue",
  setup(b) {
    b.onResolve({ filter: /^#glue$/ }, () => ({ path: join(out, "wasm", file) }));
  },
});
/** `import style from "file?style"`: a style sheet with its imports as text, for pages that are saved. */
const styleText = {
  name: "style",
  setup(b) {
    b.onResolve({ filter: /\?style$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice(0, -"?style".length)),
      namespace: "style",
    }));
    b.onLoad({ filter: /./, namespace: "style" }, async ({ path }) => {
      const options = { entryPoints: [path], bundle: true, write: false, minify: true, target: "es2022" };
      const { outputFiles } = await b.esbuild.build(options);
      return { contents: outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

/** The page of `HTMLTracer`, which the playground saves. */
const trace = {
  name: "trace",
  setup(b) {
    b.onResolve({ filter: /^#trace-page$/ }, () => ({ path: "trace-page", namespace: "trace" }));
    b.onLoad({ filter: /./, namespace: "trace" }, async () => ({
      contents: JSON.stringify(await tracePage()),
      loader: "json",
    }));
  },
};

export const page = join(out, "www");
/** Style sheets of the shell, of what views share, and of views. */
const STYLES = [
  "app/app",
  "app/view",
  "code/code",
  "conversation/conversation",
  "prompt/prompt",
  "run/run",
  "source/source",
  "inline/inline",
  "search/search",
  "tokens/tokens",
];
/** Our sources that are the example of a folder. */
const REPOSITORY = ["js", "search", "inline", "docs"];
/** Our sources that are examples: www/examples.ts names them. */
const SAMPLES = [
  ...readFileSync(join(root, "www", "examples.ts"), "utf8").matchAll(/source\("\w+", "[^"]+", "([^"]+)"\)/g),
].map(([, path]) => path);

export function buildPage() {
  const inputs = hash([
    "www",
    "js",
    "build/wasm",
    "build/vocab",
    "scripts/page.mjs",
    "scripts/trace-page.mjs",
    "package-lock.json",
    ...REPOSITORY,
    ...SAMPLES,
  ]);
  return cached("page", inputs, [join(page, "index.html"), join(page, "worker.js")], async () => {
    const esbuild = await import("esbuild");
    rmSync(page, { recursive: true, force: true });
    mkdirSync(join(page, "examples"), { recursive: true });
    const app = { app: "app/main.tsx" };
    const main = {
      "prompt-worker": "prompt/run-worker.ts",
      "run-worker": "run/worker.ts",
      "source-worker": "source/worker.ts",
      "definitions-worker": "search/definitions-worker.ts",
      "folder-worker": "folder/worker.ts",
    };
    // Apart from the others, so that the worker of the first view has only those parts of the glue that it uses.
    const first = { worker: "worker/main.ts", sessions: "../js/sessions/index.ts" };
    const workspace = { "search-worker": "search/worker.ts", "inline-worker": "inline/worker.ts" };
    const bundle = (names, options = {}) =>
      esbuild.build({
        entryPoints: Object.fromEntries(Object.entries(names).map(([name, file]) => [name, join(root, "www", file)])),
        bundle: true,
        format: "esm",
        platform: "browser",
        target: "es2022",
        minify: true,
        charset: "utf8",
        // Views and what several entries use are files of their own, loaded when they are needed. They lie beside the
        // entries, because workers and the engine are found relative to the script.
        splitting: true,
        chunkNames: "[name]-[hash]",
        outdir: page,
        logLevel: "warning",
        plugins: [glue("glue.js"), styleText, trace],
        ...options,
      });
    copyGrammars(join(page, "grammars"));
    const define = { ESPALIER_GRAMMARS: JSON.stringify(grammarSums(join(page, "grammars"))) };
    const { version } = JSON.parse(readFileSync(join(root, "pkg-template", "package.json"), "utf8"));
    const { metafile } = await bundle(app, { define: { VERSION: JSON.stringify(version) }, metafile: true });
    // A prompt's trace names components and classes of metadata. Names cost a tenth of a script.
    await bundle(main, { define, keepNames: true });
    await bundle(first, { define });
    await bundle(workspace, { define, plugins: [glue("workspace-glue.js")] });
    await bundle({ "tokens-worker": "tokens/worker.ts" }, { define, plugins: [glue("count-glue.js")] });
    const html = readFileSync(join(root, "www", "index.html"), "utf8");
    writeFileSync(join(page, "index.html"), preloading(html, firstScripts(metafile)));
    await esbuild.build({
      entryPoints: STYLES.map((name) => join(root, "www", `${name}.css`)),
      entryNames: "[name]",
      bundle: true,
      minify: true,
      target: "es2022",
      outdir: page,
      logLevel: "warning",
    });
    copyFileSync(join(root, "node_modules", "uplot", "dist", "uPlot.min.css"), join(page, "uplot.css"));
    for (const name of ["espalier.wasm", "workspace.wasm", "count.wasm"])
      copyFileSync(join(out, "wasm", name), join(page, name));
    cpSync(join(out, "vocab"), join(page, "vocab"), { recursive: true });
    for (const name of ["sweagent-marshmallow-1867.json", "tau-airline-0.json", "LICENSES.md"]) {
      copyFileSync(join(root, "tests", "fixtures", "transcripts", name), join(page, "examples", name));
    }
    copyFileSync(join(root, "www", "prompt", "example-prompt.tsx"), join(page, "examples", "prompt.tsx"));
    copyFileSync(join(root, "www", "tokens", "example.txt"), join(page, "examples", "text.txt"));
    const large = readFileSync(join(root, "tests", "fixtures", "transcripts", "pi-refactor-long.json"));
    writeFileSync(join(page, "examples", "pi-refactor-long.json.gz"), gzipSync(large, { level: 9 }));
    for (const path of SAMPLES) {
      mkdirSync(dirname(join(page, "samples", path)), { recursive: true });
      copyFileSync(join(root, path), join(page, "samples", path));
    }
    mkdirSync(join(page, "repository"));
    writeFileSync(join(page, "repository", "files.json"), JSON.stringify(repository()));
    // Last, since it lists all the others.
    await bundle({ "service-worker": "service-worker.ts" }, { define: { FILES: JSON.stringify(filesIn(page)) } });
  });
}

/**
 * Returns the scripts of the shell and of its first view. Without a list, browsers find one import after the other.
 */
function firstScripts({ outputs }) {
  const views = ["www/app/main.tsx", "www/conversation/index.tsx"].map((entry) => join(root, entry));
  const found = new Set();
  const add = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: other, kind } of outputs[path].imports) if (kind === "import-statement") add(other);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (entryPoint && views.includes(join(process.cwd(), entryPoint))) add(path);
  return [...found].map((path) => basename(path));
}

/** Adds scripts to those that the page loads at once. */
function preloading(html, scripts) {
  const link = (script) => `  <link rel="modulepreload" href="${script}">`;
  return html.replace(link("app.js"), scripts.map(link).join("\n"));
}

/** Returns the files of the repository that the page searches: one file, to save 400 requests. */
function repository() {
  const paths = REPOSITORY.flatMap((folder) => filesIn(join(root, folder)).map((path) => `${folder}/${path}`));
  return paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, version: createHash("sha256").update(text).digest("hex").slice(0, 16) };
  });
}

function filesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, path, name }) =>
      relative(folder, join(parentPath ?? path, name))
        .split(sep)
        .join("/"),
    )
    .sort();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await step("The playground in build/www", buildPage);
