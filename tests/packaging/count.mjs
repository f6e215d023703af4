/** `espalier/count`, packed: what a page downloads, one-file bundles, types. */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { sizes } from "../../scripts/lib.mjs";

/**
 * Bytes by brotli that a page may download to count with o200k_base: JavaScript, engine and vocabulary. gpt-tokenizer's
 * is 814,000.
 */
const MAX_DOWNLOAD = 760_000;

export function countCases({ checkTypes, consumer, home, run, titleIn }) {
  const dist = join(consumer, "node_modules", "espalier", "dist");

  /** Bundles `code` into a folder of its own; returns the folder. */
  async function bundle(name, code, options) {
    const out = join(home, name);
    mkdirSync(out);
    writeFileSync(join(consumer, `${name}.mjs`), code);
    await build({
      absWorkingDir: consumer,
      entryPoints: [`${name}.mjs`],
      bundle: true,
      minify: true,
      outdir: out,
      logLevel: "error",
      ...options,
    });
    return out;
  }

  async function page(name, format, code) {
    const out = await bundle(name, code, { format, platform: "browser" });
    writeFileSync(join(out, "index.html"), `<!doctype html><script type="module" src="${name}.js"></script>`);
    return out;
  }

  return {
    async "a page that only counts: three files, small together"() {
      const out = await page(
        "count-page",
        "esm",
        'import { count, init } from "espalier/count"; await init(); document.title = `${count("Hello world!")}`;',
      );
      mkdirSync(join(out, "vocab"));
      for (const file of ["count.wasm", "vocab/o200k_base.vocab"]) cpSync(join(dist, file), join(out, file));
      assert.equal(await titleIn(out), "3");
      const files = ["count-page.js", "count.wasm", "vocab/o200k_base.vocab"].map((file) => [
        file,
        sizes(join(out, file)).brotli,
      ]);
      assert.ok(files.reduce((sum, [, bytes]) => sum + bytes, 0) < MAX_DOWNLOAD, files.join("; "));
    },

    async "a page that only counts: one file, small too"() {
      const out = await page(
        "count-one",
        "iife",
        'import { count } from "espalier/count/o200k_base"; document.title = `${count("Hello world!")}`;',
      );
      assert.equal(await titleIn(out), "3");
      const { brotli } = sizes(join(out, "count-one.js"));
      assert.ok(brotli < MAX_DOWNLOAD, `${brotli} bytes`);
    },

    async "a server in one file counts, moved to another folder, as module and as CommonJS"() {
      const code =
        'import { count, decode, encode } from "espalier/count/o200k_base"; console.log(count("Hello world!"), decode(encode("日本語")));';
      for (const [format, ending] of [
        ["esm", ".mjs"],
        ["cjs", ".cjs"],
      ]) {
        const out = await bundle(`count-${format}`, code, {
          format,
          platform: "node",
          outExtension: { ".js": ending },
        });
        const { stdout, stderr } = await run(process.execPath, [join(out, `count-${format}${ending}`)], { cwd: out });
        assert.equal(stdout.trim(), "3 日本語", stderr);
      }
    },

    async "types of espalier/count, for import and require"() {
      const code = (
        entry,
      ) => `import { count, countBatch, encode, EspalierError, init, prefixWithin, TokenWorker, type EncodingName, type Fit } from "espalier/${entry}";
          const encoding: EncodingName = "cl100k_base"; const n: number = count("x", { encoding }); const fit: Fit = prefixWithin("x", n);
          // @ts-expect-error a text is a string
          count(5);
          export const all: [number[], Uint32Array, Promise<void>, Fit] = [countBatch(["x"]), encode("x"), init(), fit]; export { EspalierError, TokenWorker };\n`;
      const entries = ["count", "count/o200k_base", "count/cl100k_base"];
      await checkTypes(
        Object.fromEntries(entries.map((entry) => [`count-types/${entry.replace("/", "-")}`, code(entry)])),
      );
    },
  };
}
