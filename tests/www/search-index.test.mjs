/**
 * An index on a page, in a real Chromium: in the page's thread and in a worker, kept in IndexedDB, without a network.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/lib.mjs";
import { serve } from "../../scripts/serve.mjs";
import { launch } from "./browser.mjs";

let server, browser, page;

before(async () => {
  server = await serve(join(root, "pkg"));
  browser = await launch();
  page = await browser.newPage();
  page.on("pageerror", (error) => assert.fail(error.message));
  await page.goto(`${server.url}package.json`);
  await page.evaluate(async () => {
    globalThis.search = await import("/dist/search-web.js");
    const words = "oak whale retry parser budget chunk token window cache index".split(" ");
    const text = (file) =>
      Array.from(
        { length: 60 },
        (_, line) => `${words[(file + line) % 10]} ${words[(file * 7 + line) % 10]} name${file}`,
      ).join("\n");
    globalThis.files = Object.fromEntries(Array.from({ length: 500 }, (_, file) => [`src/f${file}.ts`, text(file)]));
    globalThis.places = {
      page: {},
      worker: { worker: () => new Worker("/dist/search-worker.js", { type: "module" }) },
    };
  });
});
after(async () => {
  await browser?.close();
  server?.close();
});

for (const place of ["page", "worker"]) {
  test(`${place}: built, searched, kept in IndexedDB, and read back without a network`, async () => {
    const first = await page.evaluate(async (place) => {
      const { openIndex, memoryFiles, indexedDbStorage } = search;
      globalThis.open = () =>
        openIndex({ ...places[place], source: memoryFiles(files), storage: indexedDbStorage(`index-${place}`) });
      globalThis.ask = async (index) =>
        (await index.search("whale name123", { maxResults: 5 })).hits.map(({ path, text, score }) => [
          path,
          text.length,
          score,
        ]);
      const index = await open();
      const { added, warnings } = await index.sync();
      const hits = await ask(index);
      await index.dispose();
      return { added, warnings, hits };
    }, place);
    // Chunks that touch are one hit.
    assert.deepEqual([first.added, first.warnings, first.hits[0][0]], [500, [], "src/f123.ts"]);
    assert.equal(first.hits.length, 4);
    const context = page.context();
    // Engine, vocabulary and script of the worker are loaded: the browser has them.
    if (place === "page") await context.setOffline(true);
    const again = await page.evaluate(async () => {
      const index = await open();
      const { files, warnings } = await index.state();
      const { unchanged } = await index.sync();
      const hits = await ask(index);
      await index.dispose();
      return { files, warnings, unchanged, hits };
    });
    await context.setOffline(false);
    assert.deepEqual(again, { files: 500, warnings: [], unchanged: 500, hits: first.hits });
  });
}

test("a page does other tasks while an index is built in its thread", async () => {
  // Frames are drawn by another process, which a busy machine holds up; timers are of the page's own thread.
  const { turns, between } = await page.evaluate(async () => {
    const { openIndex, memoryFiles } = search;
    const index = await openIndex({ source: memoryFiles(files), sliceMs: 4 });
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setTimeout(turn);
    };
    setTimeout(turn);
    const seen = [];
    await index.sync({ onProgress: ({ done }) => seen.push([done, turns]) });
    isOver = true;
    await index.dispose();
    return { turns, between: seen.some(([done, count]) => done > 0 && done < 500 && count > 1) };
  });
  assert.ok(turns > 2 && between, JSON.stringify({ turns, between }));
});

test("abort reaches the worker, progress comes back, a worker that is no script fails", async () => {
  const said = await page.evaluate(async () => {
    const { openIndex, memoryFiles } = search;
    const index = await openIndex({ ...places.worker, source: memoryFiles(files) });
    const controller = new AbortController();
    const error = await index
      .sync({
        signal: controller.signal,
        onProgress: ({ phase, done }) => phase === "index" && done > 5 && controller.abort(new Error("enough")),
      })
      .catch(({ message }) => message);
    const { added, unchanged } = await index.sync();
    await index.dispose();
    const missing = await openIndex({ worker: () => new Worker("/no-such-script.js", { type: "module" }) }).catch(
      ({ code }) => code,
    );
    return { error, all: added + unchanged, missing };
  });
  assert.deepEqual(said, { error: "enough", all: 500, missing: "worker_failed" });
});
