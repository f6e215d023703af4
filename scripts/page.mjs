/** Builds the playground into `build/www`: page, worker, engine, vocabularies, examples. No address outside of it is ever asked. */

import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { copyGrammars, grammarSums } from "./build.mjs";
import { build as out, cached, hash, root } from "./lib.mjs";

const glue = { name: "glue", setup(b) { b.onResolve({ filter: /^#glue$/ }, () => ({ path: join(out, "wasm", "glue.js") })); } };
/** `import text from "file?text"`. */
const text = {
  name: "text",
  setup(b) {
    b.onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.slice(0, -"?text".length)), namespace: "text" }));
    b.onLoad({ filter: /./, namespace: "text" }, ({ path }) => ({ contents: readFileSync(path, "utf8"), loader: "text" }));
  },
};

export const page = join(out, "www");
const PAGES = ["index", "history", "prompt", "document"];
/** Sources of ours that the page of a document shows: www/samples.ts names them. */
const SAMPLES = [...readFileSync(join(root, "www", "samples.ts"), "utf8").matchAll(/"([\w/.-]+\.\w+)"/g)].map(([, path]) => path);

export function buildPage() {
  const inputs = hash(["www", "js", "build/wasm", "build/vocab", "scripts/page.mjs", "package-lock.json", ...SAMPLES]);
  return cached("page", inputs, [join(page, "index.html"), join(page, "worker.js")], async () => {
    const esbuild = await import("esbuild");
    rmSync(page, { recursive: true, force: true });
    mkdirSync(join(page, "examples"), { recursive: true });
    const entries = { main: "main.ts", worker: "worker.ts", prompt: "prompt.tsx", history: "history.ts", document: "document.ts", "document-worker": "document-worker.ts", sessions: "../js/sessions/index.ts" };
    const bundle = (names, options = {}) => esbuild.build({
      entryPoints: Object.fromEntries(Object.entries(names).map(([name, file]) => [name, join(root, "www", file)])),
      bundle: true, format: "esm", platform: "browser", target: "es2022", minify: true, keepNames: true, charset: "utf8", outdir: page, logLevel: "warning",
      plugins: [glue, text], ...options,
    });
    copyGrammars(join(page, "grammars"));
    await bundle(entries, { define: { ESPALIER_GRAMMARS: JSON.stringify(grammarSums(join(page, "grammars"))) } });
    for (const name of [...PAGES.map((name) => `${name}.html`), "style.css", "document.css"]) copyFileSync(join(root, "www", name), join(page, name));
    copyFileSync(join(out, "wasm", "espalier.wasm"), join(page, "espalier.wasm"));
    cpSync(join(out, "vocab"), join(page, "vocab"), { recursive: true });
    for (const name of ["sweagent-marshmallow-1867.json", "tau-airline-0.json", "LICENSES.md"]) {
      copyFileSync(join(root, "tests", "fixtures", "transcripts", name), join(page, "examples", name));
    }
    for (const path of SAMPLES) {
      mkdirSync(dirname(join(page, "samples", path)), { recursive: true });
      copyFileSync(join(root, path), join(page, "samples", path));
    }
    // Last, since it has to know all the others.
    await bundle({ "service-worker": "service-worker.ts" }, { define: { FILES: JSON.stringify(filesIn(page)) } });
  });
}

function filesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, path, name }) => relative(folder, join(parentPath ?? path, name)).split(sep).join("/")).sort();
}
