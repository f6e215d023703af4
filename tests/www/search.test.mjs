/** The view of search, in a real Chromium: a question, its hits, a folder of one's own. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { findingsOf, namelessControls, reachedByTab, smallTargets } from "./axe.mjs";
import { inAllSizes, opened as openPage, until } from "./browser.mjs";
import { drop } from "./conversation.mjs";
import { busy } from "./tasks.mjs";
import { folderIn } from "./folders.mjs";

const READY = "#search-view[data-query]";
const opened = (options) =>
  openPage("#view=search&example=espalier", { ready: READY, viewport: { width: 1280, height: 900 }, ...options });

let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await opened());
  await indexed();
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const temporary = mkdtempSync(join(tmpdir(), "espalier-search-"));
after(() => rmSync(temporary, { recursive: true }));

const text = (id, from = page) => from.innerText(`#${id}`);
/** Returns the numbers of hits and of their tokens. */
async function figures(from = page) {
  const [, hits, tokens] = /^([\d,]+) hits?, ([\d,]+) tokens?\.$/.exec(await text("headline", from));
  return { hits: Number(hits.replaceAll(",", "")), tokens: Number(tokens.replaceAll(",", "")) };
}
/** Waits for words in an element. */
const says = (id, words, from = page) =>
  from.waitForFunction(([id, words]) => document.getElementById(id).textContent.includes(words), [id, words]);
/** Waits until all files are indexed, and what is shown was found in all of them. */
const indexed = (from = page) => shows({ complete: "true" }, from);
const shows = (attributes, from = page) =>
  from.waitForFunction(
    (wanted) =>
      Object.entries(wanted).every(([name, value]) => document.getElementById("search-view")?.dataset[name] === value),
    attributes,
  );
const places = (list = "hits", from = page) => from.locator(`#${list} .path`).allTextContents();

async function ask(query, from = page) {
  await from.fill("#query", query);
  await shows({ query, complete: "true" }, from);
}

const folderOf = (name, files) => folderIn(temporary, name, files);

async function choose(name, files) {
  await page.setInputFiles("#folder", folderOf(name, files));
  await page.waitForFunction((name) => document.getElementById("example").selectedOptions[0].text === name, name);
  await indexed();
}

async function repository() {
  await page.selectOption("#example", "espalier");
  await page.waitForFunction(() => document.getElementById("example").value === "espalier");
  await indexed();
}

test("it opens with a question, its hits, and asks nobody else for anything", async () => {
  const { page, complaints, close } = await opened();
  try {
    await indexed(page);
    assert.ok((await figures(page)).hits > 3);
    assert.ok((await figures(page)).tokens <= 4_000);
    assert.match(
      await text("outcome", page),
      /^\d+ hits in \d+ files in [\d.]+ m?s\. Strategy: words, ranked by BM25\.$/,
    );
    assert.match(
      await text("index-said", page),
      /^\d+ files, [\d,]+ chunks, [\d,]+ words; [\d.]+ MB of memory\. \d+ added, in /,
    );
    assert.deepEqual(complaints, []);
  } finally {
    await close();
  }
});

test("what is typed is searched, and the right file is first", async () => {
  for (const [query, file] of [
    ["indexeddb storage of a conversation", "indexeddb-storage.ts"],
    ["parse a unified diff", "changed.ts"],
    ["Jaccard similarity of windows", "similar"],
  ]) {
    await page.fill("#query", "");
    await page.locator("#query").pressSequentially(query, { delay: 5 });
    await shows({ query });
    const found = await places();
    assert.ok(
      found.slice(0, 3).some((path) => path.includes(file)),
      `${query}: ${found.slice(0, 3)}`,
    );
  }
  assert.deepEqual(complaints, []);
});

test("a hit names its terms and their scores, and marks them in the text", async () => {
  await ask("indexedDbStorage database");
  const first = page.locator("#hits > li").first();
  await until(page, () =>
    /^score [\d.]+\s+\w+ [\d.]+/.test(document.querySelector("#hits > li .terms")?.innerText ?? ""),
  );
  const marked = (await first.locator("mark").allTextContents()).map((word) => word.toLowerCase());
  assert.ok(
    marked.some((word) => /indexeddbstorage|database|indexed/.test(word)),
    marked.join(),
  );
  const sum = (await first.locator(".term").allTextContents()).reduce(
    (total, part) => total + Number(part.split(" ").at(-1)),
    0,
  );
  const score = Number((await first.locator(".terms").innerText()).match(/score ([\d.]+)/)[1]);
  assert.ok(Math.abs(sum - score) < 0.05, `${sum} of ${score}`);
});

test("a hit opens and closes, by mouse and by keyboard; the list is one tab stop", async () => {
  await ask("storage");
  await page.focus("#query");
  await page.keyboard.press("ArrowDown");
  const first = page.locator("#hits > li > button").first();
  assert.equal(await first.evaluate((button) => button === document.activeElement), true);
  const key = await page
    .locator("#hits > li", { has: page.locator(".rest") })
    .first()
    .getAttribute("data-key");
  const long = page.locator(`#hits > li[data-key="${key}"]`);
  const lines = await long.locator(".line").count();
  await long.locator("button").focus();
  await page.keyboard.press("Enter");
  assert.equal(await long.locator("button").getAttribute("aria-expanded"), "true");
  assert.ok((await long.locator(".line").count()) > lines);
  await long.locator("button").click();
  assert.equal(await long.locator(".line").count(), lines);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  assert.equal(
    await page
      .locator("#hits > li > button")
      .nth(1)
      .evaluate((button) => button === document.activeElement),
    true,
  );
  assert.equal(await page.locator('#hits > li > button[tabindex="0"]').count(), 1);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.evaluate(() => document.activeElement.id), "query");
});

test("the budget is never passed, and more budget finds more", async () => {
  await ask("conversation messages");
  let last = -1;
  for (const budget of [0, 500, 4_000, 20_000]) {
    await page.evaluate((value) => {
      const slider = document.getElementById("slider");
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }, String(budget));
    await shows({ budget: String(budget) });
    assert.ok((await figures()).tokens <= budget);
    const hits = (await figures()).hits;
    assert.ok(hits > last || (hits === 0 && budget === 0), `${hits} hits of ${budget} tokens`);
    last = hits;
  }
  await page.fill("#tokens", "700");
  await page.press("#tokens", "Tab");
  await shows({ budget: "700" });
  await page.click("#left-out-title");
  await page.waitForSelector("#left-out li");
  await page.fill("#tokens", "-5");
  await page.press("#tokens", "Tab");
  await says("alert", "whole number");
  await page.fill("#tokens", "4000");
  await page.press("#tokens", "Tab");
  await page.waitForSelector("#alert", { state: "detached" });
});

test("the other ranking can be chosen, and shown beside the first", async () => {
  await ask("retry after a rate limit");
  const bm25 = await places();
  await page.check("#compare");
  await page.waitForSelector("#other-pane");
  // The other ranking has an index of its own, which is being built.
  await shows({ complete: "true" });
  await page.waitForFunction(() => document.querySelectorAll("#other > li").length > 0);
  assert.match(await text("other-title"), /Hits of TF-IDF/);
  const tfidf = await places("other");
  const [, shared, all] = /^(\d+) of its (\d+) hits/.exec(await text("other-said"));
  assert.ok(Number(shared) <= Number(all) && Number(all) === tfidf.length);
  await page.check("input[value=copilot-chat]");
  await shows({ profile: "copilot-chat" });
  await says("outcome", "ranked by TF-IDF");
  await page.waitForFunction((first) => document.querySelector("#hits .path").textContent === first, tfidf[0]);
  assert.match(await text("other-title"), /Hits of BM25/);
  const row = page.locator("#other > li").first();
  await row.locator("button").click();
  assert.ok((await row.locator(".line").count()) > 0, "its text can be read");
  await page.check("input[value=espalier]");
  await page.uncheck("#compare");
  await shows({ profile: "espalier" });
  await page.waitForSelector("#other-pane", { state: "detached" });
  assert.deepEqual(await places(), bm25);
  assert.deepEqual(complaints, []);
});

test("a folder of one's own is searched; what is left out is listed with its reason", async () => {
  await choose("shop", {
    "src/cart.ts":
      "export function totalOfCart(items: Item[]): number {\n  return items.reduce((sum, { price }) => sum + price, 0);\n}\n",
    "src/mail.ts": "export function sendReceipt(address: string): void {\n  post(address);\n}\n",
    "logo.bin": Buffer.from([0, 1, 2, 0]),
    "skip/secret.ts": "export const receipt = 1;\n",
    ".gitignore": "skip/\n",
  });
  await ask("send a receipt");
  assert.deepEqual(
    (await places()).map((path) => path.replace(/^shop\//, "")),
    ["src/mail.ts:1-3"],
  );
  await page.click("#skipped-title");
  await page.waitForSelector("#skipped");
  const skipped = await text("skipped");
  assert.match(skipped, /ignored by a rule[\s\S]*skip/);
  assert.match(skipped, /binary[\s\S]*logo\.bin/);
  await page.check("#whole");
  await says("outcome", "the whole workspace");
  assert.match((await places()).join(), /cart\.ts/);
  await page.uncheck("#whole");
  await says("outcome", "Strategy: words");
  await repository();
  assert.deepEqual(complaints, []);
});

test("several dropped files are a folder, and one is shown in its own view", async () => {
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["def pickle_brine(cucumbers):\n    return cucumbers\n"], "kitchen.py"));
    dataTransfer.items.add(new File(["# Salt\n"], "notes.md"));
    dispatchEvent(new DragEvent("dragover", { dataTransfer, cancelable: true }));
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  });
  await page.waitForFunction(() => document.getElementById("example").selectedOptions[0].text === "2 files");
  await indexed();
  await ask("brine");
  assert.match((await places())[0], /kitchen\.py:1-2$/);
  await page.click("#view-inline");
  await page.waitForSelector("#inline-view[data-cursor]");
  assert.equal(await text("source-title"), "kitchen.py");
  await drop(page, "kitchen.py", "def brine():\n    return 1\n");
  await page.waitForFunction(() => document.getElementById("source-view")?.dataset.budget);
  assert.match(await text("basis"), /python|indentation/);
  await repository();
});

test("a link with a folder that is not in it says so, and shows ours", async () => {
  await page.evaluate(() => (location.hash = "#view=search&folder=bakery&search.q=cart"));
  await page.waitForSelector("#alert");
  await says("alert", "This link was made with the folder bakery");
  await indexed();
  assert.equal(await page.inputValue("#query"), "cart");
  await page.click("#dismiss");
});

test("an empty folder, an empty question, and a question of 100,000 characters", async () => {
  await page.fill("#query", "");
  await says("outcome", "Type a question");
  assert.equal(await page.locator("#hits > li").count(), 0);
  await ask("zzzzqqqq");
  await says("outcome", "No hits");
  await page.fill("#query", "storage ".repeat(12_500));
  await page.waitForFunction(() => document.getElementById("search-view").dataset.query.length > 90_000);
  assert.ok((await figures()).hits > 0);
  await choose("nothing", { "only.bin": Buffer.from([0, 0, 0, 0]) });
  await ask("anything");
  await says("outcome", "No hits");
  await repository();
  assert.deepEqual(complaints, []);
});

test("chunks end at definitions, and hits say in which", async () => {
  await page.check("#definitions");
  await indexed();
  await ask("indexedDbStorage");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("#hits .header")].some(({ textContent }) => textContent !== ""),
  );
  await page.uncheck("#definitions");
  await indexed();
  assert.deepEqual(complaints, []);
});

test("the index is kept in this browser, and can be forgotten", async () => {
  await page.reload();
  await page.waitForSelector(READY);
  await indexed();
  assert.match(await text("index-said"), /\d+ as stored, in/);
  await page.click("#forget");
  await says("status", "deleted");
  await page.reload();
  await page.waitForSelector(READY);
  await indexed();
  assert.match(await text("index-said"), /\d+ added, in/);
});

test("while files are indexed one types and drags", async () => {
  await busy(page, "files are indexed while one types and drags", async () => {
    await page.click("#forget");
    await says("status", "deleted");
    await page.selectOption("#example", "log");
    await page.waitForSelector("#source-view[data-budget]");
    await page.selectOption("#example", "espalier");
    await page.fill("#query", "");
    await page.locator("#query").pressSequentially("how are tool results shortened", { delay: 10 });
    for (let at = 1; at <= 30; at++)
      await page.evaluate(
        (value) => {
          const slider = document.getElementById("slider");
          slider.value = value;
          slider.dispatchEvent(new Event("input"));
        },
        String(1_000 * at),
      );
    await indexed();
    await shows({ query: "how are tool results shortened", budget: "30000" });
  });
});

test("the address remembers the question, the ranking and the budget", async () => {
  await page.check("input[value=copilot-chat]");
  await page.fill("#tokens", "2000");
  await page.press("#tokens", "Tab");
  await ask("gitignore rules");
  await page.waitForFunction(() => location.hash.includes("gitignore"));
  await page.reload();
  await page.waitForSelector(READY);
  assert.deepEqual(
    [
      await page.inputValue("#query"),
      await page.inputValue("#tokens"),
      await page.isChecked("input[value=copilot-chat]"),
    ],
    ["gitignore rules", "2000", true],
  );
  await page.check("input[value=espalier]");
});

test("every control has a name, and the keyboard reaches all of them", async () => {
  assert.deepEqual(await namelessControls(page), []);
  const reached = await reachedByTab(page, "query", 20);
  for (const id of ["slider", "tokens", "profile", "compare", "forget", "definitions", "whole", "suggested", "hits"])
    assert.ok(reached.has(id), `${id} of ${[...reached]}`);
});

test("axe finds nothing with all details open, and nothing sticks out, in both themes, wide and narrow", async () => {
  await ask("retry after a rate limit");
  await page.check("#compare");
  await page.waitForSelector("#other > li");
  for (const list of ["other", "hits"]) await page.locator(`#${list} > li > button`).first().click();
  await inAllSizes(page, async (where) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, where);
    assert.deepEqual(await findingsOf(page), [], where);
    assert.deepEqual(await smallTargets(page), [], where);
  });
  await page.uncheck("#compare");
  assert.deepEqual(complaints, []);
});
