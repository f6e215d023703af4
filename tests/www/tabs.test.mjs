/** One conversation in two tabs of a real Chromium: each sees the other's edits, and none is lost or made twice. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { page as folder } from "../../scripts/page.mjs";
import { serve } from "../../scripts/serve.mjs";
import { contextOf, launch } from "./browser.mjs";
import { openTab, upload } from "./conversation.mjs";

let server, browser, context;
before(async () => {
  server = await serve(folder);
  browser = await launch();
});
afterEach(() => context?.close());
after(async () => {
  await browser?.close();
  server?.close();
});

async function tab(hash = "#example=marshmallow", prepare) {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.addInitScript(prepare ?? (() => undefined));
  await page.goto(`${server.url}${hash}`);
  await settled(page);
  return page;
}
const settled = async (page) => {
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  await page.waitForSelector("body:not(.busy)");
};
const twoTabs = async (...args) => {
  context = await contextOf(browser, { viewport: { width: 1280, height: 900 } });
  return [await tab(...args), await tab(...args)];
};

/** Chooses a message by its number and pins it. */
async function pin(page, number) {
  await page.locator(".row", { has: page.locator(`.index:text-is("${number}")`) }).click();
  await page.waitForFunction(
    (start) => document.querySelector("#message h2")?.innerText.startsWith(start),
    `${number}.`,
  );
  // Unless the other tab was faster: then the same button takes it back.
  await page.evaluate(() => document.querySelector("#pin[aria-pressed=false]")?.click());
}
const pinned = (page, count) =>
  page.waitForFunction(
    (count) =>
      [...document.querySelectorAll(".row .fate")].filter((one) => one.innerText.includes("📌")).length === count,
    count,
  );
const log = async (page) => {
  await openTab(page, "log");
  await page.waitForSelector("#log");
  return { said: await page.innerText("#log > p"), events: await page.locator("#events summary").allInnerTexts() };
};
const status = (page, pattern) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.getElementById("status").innerText),
    pattern.source,
  );
const budget = "#example=marshmallow&budget=9000";

test("what one tab pins, the other shows at once, and says so", async () => {
  const [first, second] = await twoTabs(budget);
  await pin(first, 3);
  await status(second, /Another tab has changed the edits/);
  await pinned(second, 1);
  await second.keyboard.press("u");
  // The step was the other tab's: here it is undone with the button.
  await openTab(second, "log");
  await second.locator("#log button", { hasText: "Undo" }).click();
  await pinned(second, 0);
  await pinned(first, 0);
});

test("pins of both tabs at the same moment are all kept, once each, also after a reload", async () => {
  const [first, second] = await twoTabs(budget);
  for (const numbers of [
    [2, 3],
    [4, 5],
    [6, 7],
  ]) {
    await Promise.all([pin(first, numbers[0]), pin(second, numbers[1])]);
    await Promise.all([first, second].map((page) => pinned(page, numbers[1] - 1)));
  }
  await Promise.all([pin(first, 8), pin(second, 8)]);
  for (const page of [first, second]) await pinned(page, 7);
  for (const page of [first, second]) {
    await page.reload();
    await settled(page);
    await pinned(page, 7);
    const { said, events } = await log(page);
    assert.match(said, /7 messages pinned/);
    const pins = events.filter((text) => / pin /.test(text)).map((text) => text.replace(/^\d+ /, ""));
    assert.equal(new Set(pins).size, pins.length, pins.join(", "));
  }
});

test("a plan that another tab has overtaken is not applied, and that is said", async () => {
  const hash = "#example=marshmallow&mode=compact&budget=3256";
  // The second tab hears nothing of the first.
  context = await contextOf(browser, { viewport: { width: 1280, height: 900 } });
  const first = await tab(hash);
  const second = await tab(hash, () => delete globalThis.BroadcastChannel);
  await first.click("#apply");
  await status(first, /Applied/);
  await second.click("#apply");
  await second.waitForSelector("#alert");
  assert.match(await second.innerText("#alert"), /Another tab has changed the edits of this conversation/);
  await settled(second);
  const both = [await log(first), await log(second)];
  assert.equal(both[0].said, both[1].said);
  assert.deepEqual(both[0].events, both[1].events);
});

test("edits stay under another encoding", async () => {
  context = await contextOf(browser, { viewport: { width: 1280, height: 900 } });
  const page = await tab(budget);
  await pin(page, 3);
  await pinned(page, 1);
  const before = await page.innerText("#headline");
  await page.selectOption("#encoding", "cl100k_base");
  await page.waitForFunction((old) => document.getElementById("headline").innerText !== old, before);
  await settled(page);
  await pin(page, 4);
  await pinned(page, 2);
  await page.reload();
  await settled(page);
  await pinned(page, 2);
});

test("edits of a session's whole history are kept apart from those of its live part", async () => {
  context = await contextOf(browser, { viewport: { width: 1280, height: 900 } });
  const page = await tab();
  const session = readFileSync(new URL("../fixtures/sessions/claude-code.jsonl", import.meta.url), "utf8");
  await upload(page, "claude-code.jsonl", session);
  await page.waitForFunction(() => document.getElementById("example").selectedOptions[0].text === "claude-code.jsonl");
  await settled(page);
  const show = async (part) => {
    const before = await page.innerText("#headline");
    await openTab(page, "file");
    await page.check(`#part input[value=${part}]`);
    await page.waitForFunction((old) => document.getElementById("headline").innerText !== old, before);
    await settled(page);
  };
  const pinNewest = async () => {
    await page.locator(".row:not(.fold)").last().click();
    await page.click("#pin[aria-pressed=false]");
    await page.waitForSelector("#pin[aria-pressed=true]");
  };
  await pinNewest();
  await show("history");
  await pinned(page, 0);
  await pinNewest();
  await show("live");
  await pinned(page, 1);
  await page.waitForFunction(() => location.hash.startsWith("#file=claude-code"));
  await page.reload();
  await settled(page);
  await pinned(page, 1);
  await show("history");
  await pinned(page, 1);
  assert.equal(await page.locator("#alert").count(), 0);
});
