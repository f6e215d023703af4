/** The page of a history, in a real Chromium. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { opened } from "./browser.mjs";

let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await opened("history.html"));
});
after(() => close?.());

const sent = async () => Number((await page.textContent("#view")).replaceAll(",", ""));
const messages = () => page.locator("#messages > li").allTextContents();
async function click(id, status) {
  await page.click(`#${id}`);
  await page.waitForFunction((text) => document.getElementById("status").textContent.includes(text), status);
}

test("it opens with the whole history", async () => {
  assert.equal(await page.textContent("#view"), await page.textContent("#history"));
  assert.equal(await page.locator("#messages .gone").count(), 0);
  assert.ok(await page.isDisabled("#apply"));
  assert.deepEqual(complaints, []);
});

test("a compaction is looked at, applied, taken back, and there again", async () => {
  const before = await messages();
  const whole = await sent();
  await click("preview", "would become");
  assert.equal(await sent(), whole, "looking changes nothing");
  assert.ok((await page.locator("#quality tbody tr").count()) >= 3);
  assert.ok((await page.locator("#ledger tbody tr").count()) >= 2);
  assert.ok((await page.locator("#step-list li").count()) >= 1);
  assert.match(await page.textContent("#summary-text"), /## Conversation Overview/);

  await click("apply", "Applied");
  const less = await sent();
  assert.ok(less <= whole / 2);
  assert.ok((await page.locator("#messages .gone").count()) > 2);
  assert.equal(await page.locator("#messages .bar.inserted").count(), 1);
  assert.equal(await page.textContent("#plan-title"), "Steps");
  const shown = await page.locator("#messages button:not(.gone) .count").allTextContents();
  const sum = shown.reduce((total, count) => total + Number(count.replaceAll(",", "")), 0);
  assert.ok(sum <= less && sum > 0.98 * less, `the rows' ${sum} are the ${less} of the view, summary and all`);
  assert.match(await page.locator("#events summary").first().textContent(), /^\d+ edit (replace range|clear result) m/);

  await click("undo", "Undone");
  assert.equal(await sent(), whole);
  assert.deepEqual(await messages(), before);
  await click("redo", "Back again");
  assert.equal(await sent(), less);
});

test("what is hidden can be read, and what is pinned comes back", async () => {
  const row = page.locator("#messages li", { has: page.locator("button.gone") }).first();
  await row.locator("button").first().click();
  assert.match(await row.locator(".full").textContent(), /^Hidden by e\d+/);
  const label = await row.locator(".pin").getAttribute("aria-label");
  await row.locator(".pin").click();
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("is pinned"));
  const again = page.locator("#messages li", { has: page.locator(`[aria-label="un${label}"]`) });
  assert.equal(await again.locator("button.gone").count(), 0);
  assert.match(await again.textContent(), /pinned/);
});

test("the log is saved line by line, and a file of one's own opens", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const kinds = new Set(lines.map(({ type }) => type));
  for (const kind of ["message", "edit", "revoke", "pin"])
    assert.ok(kinds.has(kind), `${kind} of ${[...kinds].join(" ")}`);
  await page.setInputFiles("#file", {
    name: "mine.json",
    mimeType: "application/json",
    buffer: Buffer.from(
      JSON.stringify([
        { role: "user", content: "<b>Hello</b>" },
        { role: "assistant", content: "Hi." },
      ]),
    ),
  });
  await page.waitForFunction(() => document.querySelectorAll("#messages > li").length === 2);
  assert.match((await messages())[0], /<b>Hello<\/b>/);
  await page.click("#preview");
  await page.waitForFunction(() => document.getElementById("alert").textContent.includes("budget_exceeded"));
  await page.setInputFiles("#file", { name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{") });
  await page.waitForFunction(() => document.getElementById("alert").textContent.includes("bad_json"));
  assert.equal((await messages()).length, 2, "what was open stays");
  assert.deepEqual(complaints, []);
});

test("dropping a file opens it", async () => {
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([JSON.stringify([{ role: "user", content: "Dropped." }])], "dropped.json"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  });
  await page.waitForFunction(() => document.querySelectorAll("#messages > li").length === 1);
  assert.match((await messages())[0], /Dropped\./);
});

test("a session of an agent opens with its whole history", async () => {
  const log = readFileSync(new URL("../fixtures/sessions/claude-code.jsonl", import.meta.url));
  await page.setInputFiles("#file", { name: "mine.jsonl", mimeType: "", buffer: log });
  await page.waitForFunction(() => document.querySelectorAll("#messages > li").length === 9);
  assert.match((await messages())[1], /Why do the totals differ\?/);
  await page.setInputFiles("#file", { name: "history.jsonl", mimeType: "", buffer: Buffer.from("") });
  await page.waitForFunction(() => document.getElementById("alert").textContent.includes("no_conversation"));
  assert.equal((await messages()).length, 9, "what was open stays");
});
