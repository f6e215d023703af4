/** Builds the playground into `build/www`: page, worker, engine, vocabularies, examples. No address outside of it is ever asked. */

import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
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

export function buildPage() {
  const inputs = hash(["www", "js", "build/wasm", "build/vocab", "scripts/page.mjs"]);
  return cached("page", inputs, [join(page, "index.html"), join(page, "worker.js")], async () => {
    const esbuild = await import("esbuild");
    rmSync(page, { recursive: true, force: true });
    mkdirSync(join(page, "examples"), { recursive: true });
    await esbuild.build({
      entryPoints: { main: join(root, "www", "main.ts"), worker: join(root, "www", "worker.ts"), prompt: join(root, "www", "prompt.tsx"), history: join(root, "www", "history.ts") },
      bundle: true, format: "esm", platform: "browser", target: "es2022", minify: true, keepNames: true, charset: "utf8", outdir: page, logLevel: "warning",
      plugins: [glue, text],
    });
    for (const name of ["index.html", "history.html", "prompt.html", "style.css"]) copyFileSync(join(root, "www", name), join(page, name));
    copyFileSync(join(out, "wasm", "espalier.wasm"), join(page, "espalier.wasm"));
    cpSync(join(out, "vocab"), join(page, "vocab"), { recursive: true });
    for (const name of ["sweagent-marshmallow-1867.json", "tau-airline-0.json", "LICENSES.md"]) {
      copyFileSync(join(root, "tests", "fixtures", "transcripts", name), join(page, "examples", name));
    }
  });
}
