/** `espalier/search` and `espalier/inline-context`, packed: pages, one-file bundles, Node, workers, types. */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { sizes } from "../../scripts/lib.mjs";

/** Bytes of the engine by brotli: what a page that searches downloads beside JavaScript and vocabulary. */
const MAX_ENGINE = 252_000;
/** One file is found, and a prompt is made: the same everywhere. */
const USE = `const index = await openIndex({ source: memoryFiles({ "a.ts": "export function retry(times) {}", "b.ts": "export const whale = 1;" }) });
  await index.sync();
  const { hits } = await index.search("how often do we retry?", { fullWorkspace: false });
  await index.dispose();
  const { prefix } = inlineContext({ file: { path: "c.ts", language: "typescript", text: "const answer = 42; ans" }, cursor: 22, budget: 500 });
  const said = [hits.map(({ path }) => path), prefix].join(" | ");`;
const SAID = "a.ts | const answer = 42; ans";

export function workspaceCases({ checkTypes, consumer, home, run, titleIn }) {
  const dist = join(consumer, "node_modules", "espalier", "dist");
  const names =
    'import { memoryFiles, openIndex } from "espalier/search"; import { init, inlineContext } from "espalier/inline-context";';

  /** Bundles `code` into a folder of its own; returns the folder. */
  async function bundle(name, code, options) {
    const out = join(home, name);
    mkdirSync(out);
    writeFileSync(join(consumer, `${name}.mjs`), code);
    const common = {
      absWorkingDir: consumer,
      entryPoints: [`${name}.mjs`],
      bundle: true,
      minify: true,
      outdir: out,
      logLevel: "error",
    };
    return { out, ...(await build({ ...common, metafile: true, ...options })) };
  }

  return {
    async "search and inline context: a page with both loads one engine"() {
      const code = `${names} await init(); ${USE} document.title = said;`;
      const { out } = await bundle("workspace-page", code, { format: "esm", platform: "browser" });
      writeFileSync(join(out, "index.html"), '<!doctype html><script type="module" src="workspace-page.js"></script>');
      mkdirSync(join(out, "vocab"));
      for (const file of ["workspace.wasm", "vocab/o200k_base.vocab"]) cpSync(join(dist, file), join(out, file));
      assert.equal(await titleIn(out), SAID);
      const { brotli } = sizes(join(out, "workspace.wasm"));
      assert.ok(brotli < MAX_ENGINE, `${brotli} bytes`);
    },

    async "search and inline context: one file with everything inside"() {
      const code = `import "espalier/search/o200k_base"; ${names} (async () => { ${USE} document.title = said; })();`;
      const { out } = await bundle("workspace-one", code, { format: "iife", platform: "browser" });
      writeFileSync(join(out, "index.html"), '<!doctype html><script src="workspace-one.js"></script>');
      assert.equal(await titleIn(out), SAID);
    },

    async "search and inline context: Node, as module, as CommonJS, and bundled"() {
      const esm = join(consumer, "workspace.mjs"),
        cjs = join(consumer, "workspace.cjs");
      writeFileSync(esm, `${names} ${USE} console.log(said);`);
      writeFileSync(
        cjs,
        `const { memoryFiles, openIndex } = require("espalier/search"), { inlineContext } = require("espalier/inline-context");
        (async () => { ${USE} console.log(said); })();`,
      );
      for (const file of [esm, cjs]) {
        const { stdout, stderr } = await run(process.execPath, [file], { cwd: consumer });
        assert.equal(stdout.trim(), SAID, stderr);
      }
      const code = `${names} (async () => { ${USE} console.log(said); })();`;
      const { out } = await bundle("workspace-server", code, {
        format: "cjs",
        platform: "node",
        conditions: ["module"],
        outExtension: { ".js": ".cjs" },
      });
      const { stdout, stderr } = await run(process.execPath, [join(out, "workspace-server.cjs")], { cwd: out });
      assert.equal(stdout.trim(), SAID, stderr);
    },

    async "search and inline context: a page that prunes has nothing of them"() {
      for (const [name, code] of [
        ["prunes", 'import { init, prune } from "espalier"; await init(); prune([]);'],
        ["counts", 'import { count, init } from "espalier/count"; await init(); count("");'],
      ]) {
        const { metafile } = await bundle(`only-${name}`, code, { format: "esm", platform: "browser" });
        const taken = Object.keys(metafile.inputs).filter((file) => /search|workspace|inline-context/.test(file));
        assert.deepEqual(taken, []);
      }
    },

    async "search and inline context: types for import and require"() {
      const code = `import { EspalierError, memoryFiles, openIndex, type SearchAnswer, type WorkspaceIndex } from "espalier/search";
        import { InlineContext, inlineContext, init } from "espalier/inline-context";
        export async function first(): Promise<SearchAnswer> { const index: WorkspaceIndex = await openIndex({ source: memoryFiles({}) }); return index.search("x"); }
        // @ts-expect-error a query is a text
        openIndex().then((index) => index.search(5));
        export const all: [string, Promise<void>] = [inlineContext({ file: { path: "a", text: "" }, cursor: 0 }).prefix, init()]; export { EspalierError, InlineContext };\n`;
      await checkTypes({ "workspace-types/use": code });
    },
  };
}
