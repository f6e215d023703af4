/** The page of a prompt tree, in a real Chromium. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { opened } from "./browser.mjs";

let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await opened("prompt.html"));
});
after(() => close?.());

async function budget(tokens) {
  await page.fill("#tokens", String(tokens));
  await page.press("#tokens", "Tab");
  await page.waitForFunction(
    (text) => document.getElementById("status").textContent.includes(text),
    `of ${tokens} tokens`,
  );
  return page.locator("#tree .gone").count();
}

test("it opens fitted, with names that can be read", async () => {
  assert.match(await page.textContent("#status"), /^\d+ of \d+ tokens, counted exactly; \d+ nodes removed/);
  const names = await page.locator("#tree .peek").allTextContents();
  for (const name of ["Prompt", "History", "TextChunk", "system"]) assert.ok(names.includes(name), name);
  assert.deepEqual(complaints, []);
});

test("every budget is met, and the less there is the more goes", async () => {
  const whole = Number(await page.getAttribute("#slider", "max"));
  assert.equal(await budget(whole), 0);
  let last = 0;
  for (const tokens of [whole - 40, Math.round(whole / 2), 60]) {
    const gone = await budget(tokens);
    assert.ok(gone > last);
    last = gone;
    const [used] = /^\d+/.exec(await page.textContent("#status"));
    assert.ok(Number(used) <= tokens);
  }
});

test("a removed node says why, and the request is shown in every form", async () => {
  await budget(200);
  await page.locator("#tree .gone").first().click();
  assert.match(
    await page.locator("#tree .full:not([hidden])").first().textContent(),
    /was removed in step \d+ to meet the limit of/,
  );
  for (const [format, field] of [
    ["anthropic", "system"],
    ["gemini", "contents"],
    ["openai-chat", "messages"],
  ]) {
    await page.selectOption("#format", format);
    await page.waitForFunction(
      (name) => Object.hasOwn(JSON.parse(document.getElementById("request-text").textContent), name),
      field,
    );
  }
});

test("a budget below everything is refused in words, and the next one works", async () => {
  await page.fill("#tokens", "0");
  await page.press("#tokens", "Tab");
  await page.waitForSelector("#alert:not([hidden])");
  assert.match(await page.textContent("#alert"), /tokens may not be removed.*budget_exceeded/);
  assert.ok((await page.locator("#tree .gone").count()) > 10);
  await budget(100);
  assert.ok(await page.isHidden("#alert"));
  assert.deepEqual(complaints, []);
});
