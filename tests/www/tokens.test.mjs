/** The view of tokens, in a real Chromium: what a text costs, token by token. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { findingsOf, smallTargets } from "./axe.mjs";
import { eventually, inAllSizes, opened as openPage } from "./browser.mjs";
import { drop, paste } from "./conversation.mjs";
import { busy } from "./tasks.mjs";

const READY = "#tokens-view[data-tokens] .token";
const opened = (options) =>
  openPage("#view=tokens&example=text", { ready: READY, viewport: { width: 1280, height: 900 }, ...options });
const EXAMPLE = readFileSync(new URL("../../www/tokens/example.txt", import.meta.url), "utf8");

let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await opened());
  page.setDefaultTimeout(20_000);
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const shows = (tokens, from = page) =>
  from.waitForSelector(`#tokens-view[data-tokens="${tokens}"]`).then(() => from.waitForSelector(READY));
const says = (id, words, from = page) =>
  from.waitForFunction(([id, words]) => document.getElementById(id)?.textContent.includes(words), [id, words]);
const ids = async () => (await page.locator(".token small").allTextContents()).map(Number);
const texts = () => page.locator(".token > span").allTextContents();
const chosen = () => page.getAttribute("#tokens-list", "aria-activedescendant");

test("it opens with a text, of which half fits, and asks nobody else for anything", async () => {
  const tokens = Number(await page.getAttribute("#tokens-view", "data-tokens"));
  assert.equal(await page.inputValue("#tokens"), String(Math.ceil(tokens / 2)));
  assert.match(
    await page.textContent("#outcome"),
    /^The first \d+ fit: 50 %\. [\d,]+ characters, [\d.]+ for each token/,
  );
  const shown = (await texts()).join("");
  assert.equal(shown.replace(/[⏎⇥◌\s]/g, ""), EXAMPLE.replace(/\s/g, ""));
  assert.equal(await page.locator(".token.over").count(), Math.floor(tokens / 2));
  assert.deepEqual(complaints, []);
});

test("a pasted text opens here, with the ids that others publish for it, in both encodings", async () => {
  await paste(page, "hello world");
  await shows(2);
  await page.check("#ids");
  await page.waitForSelector(".token small");
  await eventually(ids, [24_912, 2_375]);
  await page.selectOption("#encoding", "cl100k_base");
  await page.waitForSelector('#tokens-view[data-encoding="cl100k_base"]');
  await page.waitForFunction(() => document.querySelector(".token small")?.textContent === "15339");
  await eventually(ids, [15_339, 1_917]);
  assert.match(await page.evaluate(() => location.hash), /encoding=cl100k_base|view=tokens/);
  await page.selectOption("#encoding", "o200k_base");
  await page.waitForFunction(() => document.querySelector(".token small")?.textContent === "24912");
  await page.uncheck("#ids");
});

test("a token is chosen by mouse and by keyboard, and told in full", async () => {
  await paste(page, "hello 🦄 world\n\ta b\n");
  await says("headline", "tokens.");
  await page.waitForFunction(() => document.querySelectorAll(".token").length > 5);
  await page.locator(".token", { hasText: "hello" }).click();
  await says("chosen", "“hello”");
  assert.match(
    await page.textContent("#chosen"),
    /^Token 1: “hello”, id 24912, bytes 68 65 6c 6c 6f; line 1, characters 0 to 4\.$/,
  );
  await page.keyboard.press("ArrowRight");
  await says("chosen", "a part of “");
  assert.equal(await chosen(), "token-1");
  await page.keyboard.press("ArrowDown");
  await says("chosen", "line 2");
  await page.keyboard.press("Home");
  await says("chosen", "⇥");
  await page.keyboard.press("Control+End");
  await says("chosen", "⏎");
  await page.keyboard.press("Control+Home");
  await says("chosen", "Token 1:");
  await page.check("#spaces");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".token")].some(
      (one) => one.textContent === "·world" || one.textContent === " world" || one.textContent.includes("·"),
    ),
  );
  await page.uncheck("#spaces");
});

test("the budget says how much of the text fits, and its end is shown", async () => {
  await paste(page, Array.from({ length: 2_000 }, (_, at) => `line ${at}`).join("\n"));
  await page.waitForFunction(() => Number(document.getElementById("tokens-view").dataset.tokens) > 5_000);
  await page.waitForSelector(".token");
  const all = Number(await page.getAttribute("#tokens-view", "data-tokens"));
  await page.fill("#tokens", String(all - 10));
  await page.press("#tokens", "Tab");
  await page.waitForFunction(() => document.querySelectorAll(".token.over").length === 10);
  await page.fill("#tokens", String(all));
  await page.press("#tokens", "Tab");
  await says("outcome", "All of it fits.");
  assert.equal(await page.locator(".token.over").count(), 0);
  await page.fill("#tokens", "-1");
  await page.press("#tokens", "Tab");
  await says("alert", "whole number");
  await page.click("#dismiss");
});

test("a text is edited, and the edited one is back after a reload", async () => {
  await paste(page, "one two");
  await shows(2);
  await page.click("#edit-title");
  await page.waitForSelector("#text");
  assert.equal(await page.inputValue("#text"), "one two");
  await page.focus("#text");
  await page.keyboard.press("Control+End");
  // Slowly: the text is counted meanwhile.
  await page.keyboard.type(" three four", { delay: 60 });
  // " fou" is one token, too.
  await eventually(texts, ["one", " two", " three", " four"]);
  assert.equal(await page.inputValue("#text"), "one two three four");
  await page.waitForFunction(() => location.hash.includes("file=pasted.txt"));
  await page.reload();
  await shows(4);
  assert.deepEqual(await texts(), ["one", " two", " three", " four"]);
});

test("a large text is windowed while one scrolls and drags", async () => {
  const text = EXAMPLE.repeat(3_000);
  const act = async () => {
    await drop(page, "large.txt", text);
    await page.waitForFunction(() => Number(document.getElementById("tokens-view").dataset.tokens) > 1_000_000);
    await page.waitForSelector(".token");
    await page.focus("#tokens-list");
    for (let at = 0; at < 10; at++) await page.keyboard.press("PageDown");
    for (let at = 1; at <= 20; at++)
      await page.evaluate((share) => {
        const slider = document.getElementById("slider");
        slider.value = String(Math.round(Number(slider.max) * share));
        slider.dispatchEvent(new Event("input"));
      }, at / 20);
    await page.keyboard.press("Control+End");
    await page.waitForFunction(
      () =>
        document.getElementById("tokens-list").getAttribute("aria-activedescendant") ===
        `token-${Number(document.getElementById("tokens-view").dataset.tokens) - 1}`,
    );
  };
  // Handing over the text is the test's own work.
  await busy(page, "a text of a million tokens is scrolled and dragged", act, 2);
  assert.ok((await page.locator(".token").count()) < 4_000);
  const last = page.locator(".token").last();
  const { bottom } = await last.evaluate((one) => one.getBoundingClientRect().toJSON());
  const list = await page.locator("#tokens-list").evaluate((one) => one.getBoundingClientRect().toJSON());
  assert.ok(bottom <= list.bottom && bottom > list.top, `${bottom} in ${list.top} to ${list.bottom}`);
  await page.click("#edit-title");
  await says("tokens-view", "can be edited here");
});

test("odd texts: empty, one long line, only line breaks, lone surrogates, UTF-16", async () => {
  for (const [name, content, tokens] of [
    ["empty.txt", "", 0],
    ["line.txt", "ab ".repeat(200_000), undefined],
    ["breaks.txt", "\n".repeat(500), undefined],
    ["odd.txt", "a\ud800b <img onerror=alert(1)>", undefined],
  ]) {
    await drop(page, name, content);
    await page.waitForFunction((name) => document.getElementById("example").selectedOptions[0].text === name, name);
    await page.waitForFunction((tokens) => {
      const { tokens: shown } = document.getElementById("tokens-view")?.dataset ?? {};
      return shown !== undefined && (tokens === undefined ? Number(shown) > 0 : Number(shown) === tokens);
    }, tokens);
    if (tokens !== 0) await page.waitForSelector(".token");
    assert.equal(await page.locator("#alert").count(), 0, name);
  }
  assert.deepEqual(complaints, []);
});

test("a file that is no conversation can be shown as text, a binary one cannot", async () => {
  await drop(page, "settings.json", '{"a": 1}');
  await page.waitForSelector("#mend");
  assert.equal(await page.textContent("#mend"), "Show its tokens");
  await page.click("#mend");
  await page.waitForSelector("#alert", { state: "detached" });
  await eventually(async () => (await texts()).join(""), '{"a": 1}');
  await drop(page, "photo.bin", "\0\x01\x02");
  await page.waitForSelector("#alert");
  assert.equal(await page.locator("#mend").count(), 0);
  await page.click("#dismiss");
});

test("a source file and a prompt are shown token by token, too", async () => {
  await page.selectOption("#example", "cache");
  await page.waitForSelector("#source-view[data-budget]");
  await page.click("#view-tokens");
  await page.waitForFunction(() => document.querySelectorAll(".token").length > 50);
  assert.equal(await page.inputValue("#example"), "cache");
  await page.click("#view-source");
  await page.waitForSelector("#source-view[data-budget]");
  await page.selectOption("#example", "text");
  await page.waitForSelector(READY);
});

test("axe finds nothing with all details open, and nothing sticks out, in both themes, wide and narrow", async () => {
  await page.check("#ids");
  await page.waitForSelector(".token small");
  await inAllSizes(page, async (where) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, where);
    assert.deepEqual(await findingsOf(page), [], where);
    assert.deepEqual(await smallTargets(page), [], where);
  });
  assert.deepEqual(complaints, []);
});
