/** The view of inline context, in a real Chromium: a cursor, what is typed, and the prompt of a completion. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { findingsOf, namelessControls, reachedByTab, smallTargets } from "./axe.mjs";
import { inAllSizes, opened as openPage } from "./browser.mjs";

const READY = "#inline-view[data-cursor]";
const opened = (options) =>
  openPage("#view=inline&example=espalier", { ready: READY, viewport: { width: 1280, height: 900 }, ...options });
const GOOSE = readFileSync(new URL("../../js/sessions/goose.ts", import.meta.url), "utf8");

let page, complaints, close, server;

before(async () => {
  ({ page, complaints, close, server } = await opened());
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const text = (id, from = page) => from.innerText(`#${id}`);
/** Returns the tokens that are sent, and those that may be. */
async function figures(from = page) {
  const [, used, limit] = /^([\d,]+) of ([\d,]+) tokens are sent\.$/.exec(await text("headline", from));
  return { used: Number(used.replaceAll(",", "")), limit: Number(limit.replaceAll(",", "")) };
}
const shows = (attributes, from = page) =>
  from.waitForFunction(
    (wanted) =>
      Object.entries(wanted).every(([name, value]) => document.getElementById("inline-view").dataset[name] === value),
    attributes,
  );
const part = (kind) => page.locator("#prompt > li", { has: page.locator(`.kind:text-is("${kind}")`) });

async function cursorAt(needle) {
  const at = await page.evaluate((needle) => {
    const area = document.getElementById("source");
    const at = area.value.indexOf(needle);
    if (at < 0) throw new Error(needle);
    area.focus();
    area.setSelectionRange(at, at);
    return at;
  }, needle);
  await shows({ cursor: String(at) });
  return at;
}

async function budget(tokens) {
  await page.fill("#tokens", String(tokens));
  await page.press("#tokens", "Tab");
  await shows({ budget: String(tokens) });
}

test("it opens with a file, and the prompt of a completion within its budget", async () => {
  assert.equal(await page.inputValue("#source"), GOOSE);
  const { used, limit } = await figures();
  assert.ok(used > 500 && used <= limit);
  assert.equal(limit, 7_692);
  assert.match(await text("outcome"), /^Made in [\d.]+ ms\. [\d,]+ tokens are free\.$/);
  assert.ok((await part("similar code").count()) > 0);
  const kinds = await page.locator("#prompt .kind").allTextContents();
  assert.deepEqual(kinds.slice(-2), ["suffix", "prefix"]);
  assert.deepEqual(complaints, []);
});

test("the prompt follows the cursor, by mouse and by keyboard", async () => {
  const needle = GOOSE.split("\n").at(-12);
  const at = await cursorAt(needle);
  assert.ok(
    (await part("prefix").locator("pre").textContent()).trimEnd().endsWith(GOOSE.slice(0, at).trimEnd().slice(-80)),
  );
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((at) => Number(document.getElementById("inline-view").dataset.cursor) > at, at);
  assert.match(await text("cursor"), /^cursor in line \d+$/);
  assert.match(await text("structure"), /tokens at the beginning equal the previous request's/);
});

test("what is typed is in the prefix at once, and a recent edit of another file soon", async () => {
  await cursorAt("\n\n");
  await page.keyboard.type("const marmalade = 1;");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("#prompt pre")].at(-1).textContent.endsWith("const marmalade = 1;"),
  );
  await page.locator("#tabs button", { hasText: "js/sessions/kimi.ts" }).click();
  await shows({ file: "js/sessions/kimi.ts" });
  await page.waitForTimeout(700);
  await cursorAt("\n\n");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("#prompt .kind")].some(({ textContent }) => textContent === "recent edits"),
  );
  await part("recent edits").locator("button").click();
  assert.match(await part("recent edits").locator("pre").textContent(), /\+.*const marmalade = 1;/);
  await page.selectOption("#edit-form", "searchReplace");
  await page.waitForFunction(() => /SEARCH|REPLACE|=======/.test(document.querySelector("#prompt").textContent));
  await page.selectOption("#edit-form", "unified");
});

test("a smaller budget drops what is lighter, and each candidate has its outcome", async () => {
  const rows = () => page.locator("#items tbody tr").allTextContents();
  await budget(7_692);
  const before = (await rows()).length;
  assert.ok(before >= 4);
  assert.ok((await rows()).some((row) => /sent, similarity 0\.\d\d/.test(row)));
  for (const tokens of [2_000, 400, 20]) {
    await budget(tokens);
    assert.ok((await figures()).used <= tokens);
  }
  assert.ok((await rows()).some((row) => /not sent: no room in the budget/.test(row)));
  assert.match(await text("items-title"), /^Candidates \(\d+ of \d+ are sent\)$/);
  await page.fill("#tokens", "-20");
  await page.press("#tokens", "Tab");
  await page.waitForSelector("#alert");
  await budget(7_692);
  await page.waitForSelector("#alert", { state: "detached" });
});

test("the other profile, and no suffix", async () => {
  await page.check("input[value=copilot-chat]");
  await page.waitForFunction(() => location.hash.includes("copilot-chat"));
  const { used, limit } = await figures();
  assert.ok(used <= limit);
  await page.check("input[value=espalier]");
  await page.fill("#suffix-share", "0");
  await page.press("#suffix-share", "Tab");
  await page.waitForFunction(() => document.getElementById("split").textContent.includes("suffix 0"));
  await page.fill("#suffix-share", "15");
  await page.press("#suffix-share", "Tab");
  await page.waitForFunction(() => !document.getElementById("split").textContent.includes("suffix 0"));
  assert.deepEqual(complaints, []);
});

test("files are opened and closed, and only open ones are candidates", async () => {
  await page.selectOption("#open-file", "js/sessions/zed.ts");
  await shows({ file: "js/sessions/zed.ts" });
  await page.waitForFunction(() => location.hash.includes("zed.ts"));
  assert.equal(await page.locator("#tabs > li").count(), 6);
  await page.click('[aria-label="close js/sessions/zed.ts"]');
  await page.waitForFunction(() => document.getElementById("inline-view").dataset.file !== "js/sessions/zed.ts");
  assert.equal(await page.locator("#tabs > li").count(), 5);
  assert.ok(!(await page.textContent("#items")).includes("js/sessions/zed.ts"));
  // A closed file comes back by Back, once its closing is in the address.
  await page.waitForFunction(() => !location.hash.includes("zed.ts"));
  await page.goBack();
  await shows({ file: "js/sessions/zed.ts" });
  await page.click('[aria-label="close js/sessions/zed.ts"]');
  await page.waitForFunction(() => document.getElementById("inline-view").dataset.file !== "js/sessions/zed.ts");
});

test("an empty file has no prompt, and says so", async () => {
  await page.focus("#source");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("too short"));
  assert.equal((await figures()).used, 0);
  await page.keyboard.press("Control+Z");
  await page.waitForFunction(() => !document.getElementById("outcome").textContent.includes("too short"));
  assert.deepEqual(complaints, []);
});

test("every control has a name, and the keyboard reaches all of them", async () => {
  assert.deepEqual(await namelessControls(page), []);
  const reached = await reachedByTab(page, "slider", 26);
  for (const id of ["tabs", "profile", "suffix-share", "edit-form", "slider", "tokens", "source", "copy", "prompt"])
    assert.ok(reached.has(id), `${id} of ${[...reached]}`);
  await page.locator('#prompt button[tabindex="0"]').focus();
  await page.keyboard.press("End");
  assert.equal(await page.evaluate(() => document.activeElement.querySelector(".kind").textContent), "prefix");
});

test("axe finds nothing with all details open, and nothing sticks out, in both themes, wide and narrow", async () => {
  await part("path").locator("button").click();
  await inAllSizes(page, async (where) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, where);
    assert.deepEqual(await findingsOf(page), [], where);
    assert.deepEqual(await smallTargets(page), [], where);
  });
  assert.deepEqual(complaints, []);
});

test("a file that is open in another view is completed, too", async () => {
  await page.goto("about:blank");
  await page.goto(`${server.url}#view=source&example=cache`);
  await page.waitForSelector("#source-view[data-budget]");
  await page.click("#view-inline");
  await page.waitForSelector(READY);
  assert.equal(await text("source-title"), "cache.py");
  assert.equal(await page.inputValue("#example"), "cache");
  const { used, limit } = await figures();
  assert.ok(used > 0 && used <= limit, `${used} of ${limit}`);
});
