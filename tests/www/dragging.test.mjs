/**
 * Dragging and opening do not hold up the page, in a real Chromium: what is shown while one drags, and on request the
 * times of the page's tasks (see tasks.mjs).
 */

import assert from "node:assert/strict";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { opened } from "./browser.mjs";
import { figures, holds } from "./conversation.mjs";
import { busy, isMeasured, longTasks } from "./tasks.mjs";

let page, close, folder, huge;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "espalier-"));
  huge = await manyMessages(55);
  ({ page, close } = await opened("", {
    ready: "#conversation:not([data-estimate]) [role=option]",
    viewport: { width: 1280, height: 900 },
  }));
});
after(async () => {
  await close?.();
  rmSync(folder, { recursive: true });
});

/** Writes the large transcript several times over: 55 times are 54,450 messages and 99 MB. */
async function manyMessages(times) {
  const text = readFileSync(new URL("../fixtures/transcripts/pi-refactor-long.json", import.meta.url), "utf8");
  const { messages } = JSON.parse(text);
  const path = join(folder, "huge.json");
  const out = createWriteStream(path);
  out.write("[");
  for (let time = 0; time < times; time++) {
    // Calls of each copy have ids of their own.
    const copy = JSON.stringify(messages).replaceAll(/"(call_|toolu_)/g, `"$1${time}_`);
    if (!out.write(`${time ? "," : ""}${copy.slice(1, -1)}`))
      await new Promise((resolve) => out.once("drain", resolve));
  }
  await new Promise((resolve) => out.end("]", resolve));
  return path;
}

const settled = () =>
  page.waitForFunction(() => !document.body.classList.contains("busy"), undefined, { timeout: 120_000 });

/**
 * Drags the slider from nine tenths to two tenths; returns how often the figures changed meanwhile. A slow machine gets
 * time: the pointer goes on to and fro at the end until `enough` results were drawn, for a minute at most.
 */
async function drag(enough = 0) {
  const { x, y, width, height } = await page.locator("#slider").boundingBox();
  await page.evaluate(() => {
    globalThis.changes = 0;
    globalThis.observer?.disconnect();
    globalThis.observer = new MutationObserver(() => globalThis.changes++);
    globalThis.observer.observe(document.getElementById("headline"), {
      characterData: true,
      subtree: true,
      childList: true,
    });
  });
  const at = (share) => page.mouse.move(x + width * share, y + height / 2);
  await at(0.9);
  await page.mouse.down();
  for (let step = 0; step <= 40; step++) {
    await at(0.9 - (0.7 * step) / 40);
    await page.waitForTimeout(25);
  }
  const drawn = () => page.evaluate(() => globalThis.changes);
  for (const end = Date.now() + 60_000; (await drawn()) < enough && Date.now() < end; ) {
    await at(0.21);
    await page.waitForTimeout(25);
    await at(0.2);
    await page.waitForTimeout(25);
  }
  const changes = await drawn();
  await page.mouse.up();
  await settled();
  return changes;
}

test("the count sees a task that works too long", { skip: !isMeasured }, async () => {
  const { long } = await longTasks(page, () =>
    page.evaluate(() => {
      let sum = 0;
      for (let at = 0; at < 1_000_000_000; at++) sum = (sum + at) | 0;
      return sum;
    }),
  );
  assert.ok(long.length > 0);
});

for (const mode of ["prune", "compact"]) {
  test(`dragging 990 messages in the mode ${mode} draws while it moves`, async () => {
    await page.check(`input[value=${mode}]`);
    await settled();
    let changes = 0;
    await busy(page, `990 messages are dragged in the mode ${mode}`, async () => (changes = await drag(2)));
    assert.ok(changes >= 2, `${changes} results were drawn during the drag`);
    const { sent, budget, total } = await figures(page);
    assert.ok(sent <= budget && budget < 0.25 * total);
  });
}

test("a file of 99 MB with 54,450 messages opens with progress, and can be cancelled", async () => {
  await busy(page, "a file of 99 MB is opened, and cancelled", async () => {
    await page.setInputFiles("#file", huge);
    await page.waitForSelector("#progress:not([hidden]) #cancel");
    await page.click("#cancel");
    await page.waitForSelector("#progress[hidden]", { state: "attached" });
  });
  assert.equal((await figures(page)).messages, 990, "what was open stays");
  assert.equal(await page.locator("#alert").count(), 0);
  await page.check("input[value=prune]");
  // As a click on “Open” does, so that the same file can be chosen again.
  await page.evaluate(() => (document.getElementById("file").value = ""));
  await busy(page, "a file of 99 MB is opened", async () => {
    await page.setInputFiles("#file", huge);
    await holds(page, 54_450);
    await settled();
  });
});

test("after dragging 54,450 messages the list has only visible rows", async () => {
  await busy(page, "54,450 messages are dragged", async () => {
    await drag();
    await page.focus("#messages");
    await page.keyboard.press("End");
    for (let pages = 0; pages < 5; pages++) await page.keyboard.press("PageUp");
  });
  assert.ok((await page.locator("[role=option]").count()) < 80);
  const { messages, sent, budget } = await figures(page);
  assert.equal(messages, 54_450);
  assert.ok(sent <= budget);
});
