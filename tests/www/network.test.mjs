/** The playground on a network that drops, on one that is silent, and in a browser without room. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { page as folder } from "../../scripts/page.mjs";
import { serve } from "../../scripts/serve.mjs";
import { contextOf, kept, launch } from "./browser.mjs";

const ADDRESS = "#example=marshmallow";
const READY = "#conversation:not([data-estimate]) [role=option]";

let browser, server;
/** What the server does with requests whose path matches: nothing, an error, no answer at all. */
let fault;

const FAULTS = {
  drops: (request) => request.socket.destroy(),
  fails: (_request, response) => response.writeHead(503).end(),
  hangs: () => undefined,
};

before(async () => {
  server = await serve(folder, 0, (request, response) => {
    if (!fault?.path.test(request.url)) return false;
    FAULTS[fault.kind](request, response);
    return true;
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Runs `act` on a new page, and closes it. */
async function onPage(options, act) {
  fault = undefined;
  const context = await contextOf(browser, options);
  try {
    await act(await context.newPage());
  } finally {
    await context.close();
  }
}

const FIRST = {
  "the example": /examples\//,
  "the script of the worker": /\/worker\.js/,
  "the script of the view": /\/conversation-/,
  "the style of the view": /\/conversation\.css/,
  "the engine": /espalier\.wasm/,
  "the vocabulary": /vocab\//,
};
for (const [what, path] of Object.entries(FIRST))
  test(`without ${what} the page says so, and tries again when asked to`, () =>
    onPage({}, async (page) => {
      fault = { path, kind: "drops" };
      await page.goto(`${server.url}${ADDRESS}`);
      await page.waitForSelector("#mend");
      assert.match(await page.innerText("#alert"), /could not be loaded/);
      assert.equal(await page.innerText("#mend"), "Try again");
      fault = undefined;
      await page.click("#mend");
      await page.waitForSelector(READY);
      await page.waitForSelector("#alert", { state: "detached" });
    }));

const LATER = {
  run: [/\/run-[A-Z\d]+\.js/, "Try again", '#run-requests [aria-rowindex="2"]'],
  search: [/\/search-worker/, "Load the page again", '#search-view[data-complete="true"] #hits > li'],
  prompt: [/\/prompt-worker/, "Load the page again", "#outline [role=treeitem]"],
};
for (const [view, [path, label, ready]] of Object.entries(LATER))
  test(`the view ${view} comes when the network is back`, () =>
    onPage({}, async (page) => {
      await page.goto(`${server.url}${ADDRESS}`);
      await page.waitForSelector(READY);
      fault = { path, kind: "drops" };
      await page.click(`#view-${view}`);
      await page.waitForSelector("#mend");
      assert.equal(await page.innerText("#mend"), label);
      await page.waitForURL(`**view=${view}*`);
      assert.doesNotMatch(await page.innerText("#alert"), /Below is still/, "nothing is below");
      fault = undefined;
      await page.click("#mend");
      await page.waitForSelector(ready);
    }));

test("without its first script the page says what to do", () =>
  onPage({}, async (page) => {
    fault = { path: /app\.js/, kind: "drops" };
    await page.goto(server.url);
    await page.waitForFunction(() => getComputedStyle(document.querySelector(".loading")).visibility === "visible");
    assert.match(await page.innerText("#app"), /load the page again/);
    fault = undefined;
    await page.goto("about:blank");
    await page.goto(`${server.url}${ADDRESS}`);
    await page.waitForSelector(READY);
    assert.equal(await page.locator(".loading").count(), 0);
  }));

for (const kind of ["hangs", "fails"])
  test(`a server that ${kind} does not keep back what is cached`, () =>
    onPage({ isKept: true }, async (page) => {
      await page.goto(`${server.url}${ADDRESS}`);
      await page.waitForSelector(READY);
      await kept(page, "app.js", "espalier.wasm", "vocab/o200k_base.vocab");
      fault = { path: /./, kind };
      await page.goto("about:blank");
      await page.goto(`${server.url}${ADDRESS}`);
      await page.waitForSelector(READY);
      assert.equal(await page.locator("#alert").count(), 0);
    }));

test("files for later are fetched after those of the first view", () =>
  onPage({ isKept: true }, async (page) => {
    fault = { path: /vocab\//, kind: "hangs" };
    await page.goto(`${server.url}${ADDRESS}`);
    await page.waitForSelector("#conversation[data-estimate] [role=option]");
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
  }));

test("an estimate says what it is", () =>
  onPage({}, async (page) => {
    fault = { path: /vocab\//, kind: "hangs" };
    await page.goto(`${server.url}${ADDRESS}&budget=3000`);
    await page.waitForSelector("#conversation[data-estimate] [role=option]");
    const said = await page.innerText("#outcome > p");
    const [, before, after] = /tokens, (\d+) → (\d+) messages of openai-chat, counted by estimate\.$/.exec(said) ?? [];
    assert.ok(Number(after) > 0 && Number(after) < Number(before), said);
  }));

test("in a browser without room every file of the server arrives", () =>
  onPage({ isKept: true }, async (page) => {
    await page.goto(`${server.url}${ADDRESS}`);
    await page.waitForSelector(READY);
    await kept(page, "app.js");
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(server.url).origin, quotaSize: 1_000 });
    await page.goto("about:blank");
    await page.goto(`${server.url}#view=search&example=espalier`);
    await page.waitForSelector('#search-view[data-complete="true"] #hits > li');
    assert.equal(await page.locator("#alert").count(), 0);
  }));
