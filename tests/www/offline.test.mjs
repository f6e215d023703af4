/** The playground without a server, after one visit of its views. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { kept, opened } from "./browser.mjs";

/** By view: its address, and what is there once it works. */
const VIEWS = {
  conversation: ["#example=marshmallow", "#conversation:not([data-estimate]) [role=option]"],
  run: ["#view=run&example=marshmallow", '#run-requests [aria-rowindex="2"]'],
  prompt: ["#view=prompt&example=build", "#outline [role=treeitem]"],
  source: ["#view=source&example=log", "#source-view[data-budget]"],
  search: ["#view=search&example=espalier", '#search-view[data-complete="true"] #hits > li'],
  inline: ["#view=inline&example=espalier", "#inline-view[data-cursor]"],
  tokens: ["#view=tokens&example=text", ".token"],
};

let page, server, close;

before(async () => {
  const [address, ready] = VIEWS.source;
  ({ page, server, close } = await opened(address, { ready, isKept: true }));
  await page.click("#view-search");
  await page.waitForSelector(VIEWS.search[1]);
  await kept(
    page,
    "app.js",
    "vocab/o200k_base.vocab",
    "grammars/tree-sitter-typescript.wasm",
    "repository/files.json",
    "count.wasm",
  );
  server.close();
});
after(() => close?.());

for (const [name, [address, ready]] of Object.entries(VIEWS))
  test(`the view ${name} opens`, async () => {
    await page.goto("about:blank");
    await page.goto(`${server.url}${address}`);
    await page.waitForSelector(ready);
    assert.equal(await page.locator("#alert").count(), 0);
  });

test("a grammar that nobody asked for before is not there, and the page says so", async () => {
  await page.goto("about:blank");
  await page.goto(`${server.url}#view=source&example=log`);
  const says = (words) =>
    page.waitForFunction((words) => document.getElementById("basis")?.textContent.includes(words), words);
  await says("Parsed by tree-sitter as typescript");
  await page.selectOption("#example", "query");
  await says("the grammar of rust could not be loaded");
});
