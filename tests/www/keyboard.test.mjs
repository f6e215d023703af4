/** The view of conversations with the keyboard alone, on a narrow screen, and as assistive technology sees it. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { findingsOf, smallTargets } from "./axe.mjs";
import { contextOf, hosted } from "./browser.mjs";
import { figures, fitted, setBudget } from "./conversation.mjs";

const host = hosted();
let page;

beforeEach(() => page?.context().close());

async function open(hash, options = {}) {
  page = await (await contextOf(host.browser, { viewport: { width: 1280, height: 900 }, ...options })).newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(`${host.url}${hash}`);
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  await page.waitForFunction(() => !document.body.classList.contains("busy"));
}
const focused = () =>
  page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.tagName);
const selected = () => page.locator("[role=option][aria-selected=true]").innerText();

for (const colorScheme of ["light", "dark"])
  for (const hash of ["#example=marshmallow&mode=compact&budget=3256", "#example=pi"])
    test(`axe finds nothing at ${hash}, ${colorScheme}, in any tab, with all details open`, async () => {
      await open(hash, { colorScheme });
      for (const tab of ["result", "log", "file", "message"]) {
        await page.click(`#tab-${tab}`);
        assert.deepEqual(await findingsOf(page), [], tab);
        await page.evaluate(() => {
          for (const one of document.querySelectorAll("header details, .share")) one.open = false;
        });
      }
      await page.locator(".row:not(.fold)").first().click();
      await page.waitForSelector("#why");
      assert.deepEqual(await findingsOf(page), [], "a message");
    });

test("axe finds nothing on an error, nor on a narrow screen with the pane open", async () => {
  await open("#example=marshmallow", { viewport: { width: 400, height: 800 } });
  await setBudget(page, 10);
  await page.waitForSelector("#alert");
  assert.deepEqual(await findingsOf(page), []);
  await page.click("#dismiss");
  await page.evaluate(() => {
    for (const one of document.querySelectorAll("details")) one.open = false;
  });
  await page.click("#details");
  assert.deepEqual(await findingsOf(page), []);
});

test("the list is one tab stop, and arrows choose in it", async () => {
  await open("#example=pi");
  const stops = [];
  await page.focus("#example");
  for (let at = 0; at < 24; at++) {
    await page.keyboard.press("Tab");
    stops.push(await focused());
  }
  for (const id of [
    "file",
    "view-conversation",
    "theme",
    "help",
    "slider",
    "tokens",
    "mode",
    "encoding",
    "filter",
    "words",
    "messages",
  ])
    assert.ok(stops.includes(id), `${id} of ${stops}`);
  assert.equal(stops.filter((id) => id === "messages").length, 1);
  await page.focus("#messages");
  const first = await selected();
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await selected(), first);
  const active = await page.getAttribute("#messages", "aria-activedescendant");
  assert.equal(await page.getAttribute(`#${active}`, "aria-selected"), "true");
  await page.keyboard.press("Home");
  assert.equal(await selected(), first);
  assert.match(first, /gone/);
  const rows = () => page.getAttribute(`#messages [aria-selected=true]`, "aria-setsize").then(Number);
  const folded = await rows();
  await page.keyboard.press("ArrowRight");
  assert.ok((await rows()) > folded);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await rows(), folded);
  assert.match(await selected(), /gone/);
});

test("a budget is stepped to where something changes, and the next message to go is found", async () => {
  await open("#example=pi");
  await page.waitForFunction(() => /next to go/.test(document.getElementById("sent-line").textContent));
  const before = await figures(page);
  await page.focus("#messages");
  await page.keyboard.press("n");
  const next = /next to go: \S+ (?:messages? )?(?:from )?(\d+)|next to go: messages? (\d+)/.exec(
    await page.textContent("#sent-line"),
  );
  await page.waitForSelector("#why");
  assert.match(await page.textContent("#message h2"), new RegExp(`^${next[1] ?? next[2]}\\. `));
  assert.match(await page.textContent("#why"), /It is the next to go/);
  await page.keyboard.press("[");
  await fitted(page, before.sent - 1);
  await page.waitForSelector("#why .dropped");
  const less = await figures(page);
  assert.ok(less.sent < before.sent);
  await page.keyboard.press("]");
  await page.waitForFunction(
    (sent) => document.getElementById("sent-line").textContent.startsWith(`${sent} are sent`),
    before.sent.toLocaleString("en"),
  );
  assert.equal(await focused(), "messages");
});

test("values are spoken in words, once, after a rest", async () => {
  await open("#example=pi");
  await page.waitForFunction(() => /next to go/.test(document.getElementById("sent-line").textContent));
  assert.match(
    await page.getAttribute("#slider", "aria-valuetext"),
    /^64,000 of 402,554 tokens, 758 messages out, next to go: .*\d tokens$/,
  );
  await page.waitForFunction(() => document.getElementById("status").textContent !== "");
  await page.evaluate(() => {
    globalThis.spoken = [];
    const live = document.querySelectorAll("[role=status], [aria-live]");
    globalThis.regions = live.length;
    new MutationObserver(() => globalThis.spoken.push(live[0].textContent)).observe(live[0], {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  await page.focus("#slider");
  for (let at = 0; at < 10; at++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => globalThis.spoken.length > 0);
  await page.waitForTimeout(700);
  const { spoken, regions } = await page.evaluate(() => ({ spoken: globalThis.spoken, regions: globalThis.regions }));
  assert.equal(regions, 1);
  assert.ok(spoken.length <= 2, `${spoken}`);
  assert.match(spoken.at(-1), /^[\d,]+ of 402,554 tokens are sent; \d+ messages out\.$/);
});

test("where compaction begins and what it aims at are marked on the slider, and described in words", async () => {
  await open("#example=pi&mode=compact");
  await page.waitForSelector(".tick.trigger");
  const described = await page.getAttribute("#slider", "aria-describedby");
  const words = await page.textContent(`#${described}`);
  const numeral = (pattern) => Number(pattern.exec(words)[1].replace(/,/g, ""));
  const trigger = numeral(/A request waits for its summary from ([\d,]+) tokens/);
  const begins = numeral(/A summary is begun beside the conversation at ([\d,]+) tokens/);
  const target = numeral(/The summary aims at ([\d,]+) tokens/);
  assert.ok(begins < trigger && trigger < 64_000 && target <= 64_000, words);
  const place = (name) => page.locator(`.tick.${name}`).evaluate(({ style }) => Number.parseFloat(style.left));
  const { total } = await figures(page);
  for (const [name, tokens] of [
    ["trigger", trigger],
    ["starts-beside", begins],
    ["target", target],
  ])
    assert.ok(Math.abs((await place(name)) - (100 * tokens) / total) < 0.1, name);
  // They follow the window.
  await setBudget(page, 128_000);
  await page.waitForFunction(
    (old) => !document.getElementById("slider-marks").textContent.includes(old),
    trigger.toLocaleString("en"),
  );
  assert.ok(Math.abs((await place("trigger")) - (200 * trigger) / total) < 0.1);
});

test("the keys are listed, and Escape leads back", async () => {
  await open("#example=marshmallow");
  await page.focus("#messages");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  assert.match(await page.innerText("dialog"), /next to go[\s\S]*Version|next to go/);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog:not([open])", { state: "attached" });
  assert.equal(await focused(), "messages");
});

test("every target has 24 pixels, wide and narrow", async () => {
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 400, height: 800 },
  ]) {
    await page?.context().close();
    await open("#example=marshmallow&mode=compact&budget=3256", { viewport, hasTouch: viewport.width < 500 });
    if (viewport.width < 500) await page.click("#details");
    assert.deepEqual(await smallTargets(page), [], `${viewport.width}`);
  }
});

test("on a phone nothing overflows, and slider and messages are seen together while one scrolls", async () => {
  await open("#example=pi", { viewport: { width: 400, height: 800 }, hasTouch: true });
  await page.focus("#messages");
  for (let at = 0; at < 5; at++) await page.keyboard.press("PageDown");
  // The rows of the new place are drawn with the next frame.
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => {
    const inside = (id) => {
      const { top, bottom, left, right } = document.getElementById(id).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
    };
    const rows = [...document.querySelectorAll(".row")].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= document.getElementById("messages").getBoundingClientRect().top && bottom <= innerHeight;
    });
    return {
      slider: inside("slider"),
      tokens: inside("tokens"),
      rows: rows.length,
      overflow: document.documentElement.scrollWidth > innerWidth,
    };
  });
  assert.ok(seen.rows >= 5, `${seen.rows} rows`);
  assert.deepEqual({ ...seen, rows: 5 }, { slider: true, tokens: true, rows: 5, overflow: false });
  // A row is read in a sheet that closes again.
  await page.locator(".row:not(.fold)").nth(3).click();
  await page.waitForSelector("#original");
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden("#original"));
  assert.equal(await focused(), "messages");
});
