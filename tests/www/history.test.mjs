/** Edits over a conversation, in a real Chromium: looked at, applied, undone, kept, saved, opened again. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { opened } from "./browser.mjs";
import { figures, fitted, holds, openTab, setBudget, upload } from "./conversation.mjs";

let page, complaints, close, server;

before(async () => {
  // A failing wait should not hold up the others for long.
  const options = {
    ready: "#conversation:not([data-estimate]) [role=option]",
    viewport: { width: 1280, height: 1600 },
  };
  ({ page, complaints, close, server } = await opened("#example=marshmallow&mode=compact&budget=3256", options));
  page.setDefaultTimeout(10_000);
});
after(() => close?.());

const settled = () => page.waitForFunction(() => !document.body.classList.contains("busy"));
const rows = async () => {
  await settled();
  await page.waitForFunction(() => [...document.querySelectorAll(".row .peek")].every((e) => e.textContent !== "…"));
  return page.locator(".row").allTextContents();
};
async function click(id, status) {
  await page.click(`#${id}`);
  await page.waitForFunction((text) => document.getElementById("status").textContent.includes(text), status);
  await settled();
}

test("a plan is seen before it is applied, with its facts", async () => {
  const { total, sent, budget } = await figures(page);
  assert.deepEqual([total, budget], [8_140, 3_256]);
  assert.ok(sent <= budget);
  assert.equal(await page.getAttribute("#undo", "aria-disabled"), "true");
  assert.ok((await page.locator("#quality tbody tr").count()) >= 3);
  assert.ok((await page.locator("#ledger tbody tr").count()) >= 2);
  assert.match(await page.textContent("#summary"), /## Active Work State/);
});

test("a plan is applied, undone, and done again, with one figure for one thing", async () => {
  const before = await rows();
  const planned = await figures(page);
  await page.waitForSelector("#recorded");
  const [, recorded, more = "0"] = /start from ([\d,]+) tokens(?:: ([\d,]+) more than this request, because)?/.exec(
    await page.innerText("#recorded"),
  );
  const promised = Number(recorded.replace(",", ""));
  assert.equal(promised, planned.sent + Number(more.replace(",", "")), "the difference to what is sent is explained");
  await click("apply", "tokens are sent");
  const start = `${promised.toLocaleString("en")} → `;
  await page.waitForFunction((start) => document.querySelector("#outcome strong").innerText.startsWith(start), start);
  const applied = await figures(page);
  // Once the rest is a record, the request may have more of the room.
  assert.ok(applied.sent >= planned.sent && applied.sent <= planned.budget, "no more goes than was planned");
  assert.match(
    await page.innerText("#outcome strong"),
    new RegExp(`^${start}${applied.sent.toLocaleString("en")} tokens`),
    "what was promised is what later requests start from",
  );
  assert.ok((await page.locator(".row.fold", { hasText: "hidden" }).count()) >= 1);
  const shown = await page.locator(".row:not(.out):not(.fold) .count").allTextContents();
  const sum = shown.reduce((total, count) => total + Number(count.split("→").at(-1).replace(/,/g, "")), 0);
  assert.ok(sum <= applied.sent && sum > 0.98 * applied.sent, `the rows' ${sum} are the ${applied.sent} that are sent`);
  assert.equal(await page.evaluate(() => document.activeElement.id), "apply", "the focus stays");
  await openTab(page, "log");
  assert.match(
    await page.locator("#events summary").first().textContent(),
    /^\d+ edit (replace range|clear result|drop|truncate|supersede)/,
  );
  await openTab(page, "result");
  await click("undo", "Undone");
  assert.deepEqual(await rows(), before);
  await click("redo", "Done again");
  assert.equal((await figures(page)).sent, applied.sent);
});

test("u undoes an applied plan, and redo brings it back", async () => {
  await page.focus("#messages");
  const { sent } = await figures(page);
  await page.click("#undo");
  await settled();
  await click("apply", "Applied");
  await page.focus("#messages");
  await page.keyboard.press("u");
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("Undone"));
  await settled();
  await click("redo", "Done again");
  assert.equal((await figures(page)).sent, sent);
});

test("a hidden message is read, and a pinned one comes back", async () => {
  await page.locator(".row.fold", { hasText: "hidden" }).first().click();
  const row = page.locator(".row.hidden").first();
  const index = await row.locator(".index").textContent();
  await row.click();
  await page.waitForSelector("#why .hidden");
  assert.match(await page.textContent("#why"), /hidden by the applied edit e\d+/);
  await page.click("#pin");
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("is pinned"));
  await page.waitForSelector("#pin[aria-pressed=true]");
  await settled();
  assert.match(await page.textContent("#message h2"), new RegExp(`^${index}\\.`), "the message stays chosen");
  assert.equal(await page.locator("#why .hidden").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "pin", "the focus stays");
});

test("a pinned message stays when the budget falls", async () => {
  await page.check("input[value=prune]");
  await setBudget(page, 3_600);
  await fitted(page, 3_600);
  await openTab(page, "message");
  await page.waitForSelector("#why .kept, #why .changed");
});

test("edits and pins survive a reload", async () => {
  await openTab(page, "log");
  const text = await page.innerText("#log > p");
  const edits = await page.locator("#edits li").allTextContents();
  assert.match(text, /^\d+ edits? applied, 1 message pinned/);
  await page.reload();
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  await openTab(page, "log");
  await page.waitForFunction(() => document.querySelector("#log > p")?.textContent.includes("1 message pinned"));
  assert.equal(await page.innerText("#log > p"), text);
  assert.deepEqual(await page.locator("#edits li").allTextContents(), edits);
});

test("edits are saved with their messages, and the saved file brings all back", async () => {
  const text = await page.innerText("#log > p");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const saved = readFileSync(await download.path(), "utf8");
  const kinds = new Set(
    saved
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type),
  );
  for (const kind of ["message", "edit", "pin"]) assert.ok(kinds.has(kind), `${kind} of ${[...kinds].join(" ")}`);
  await page.evaluate(() => (location.hash = "#example=airline"));
  await page.waitForFunction(() => document.getElementById("example").value === "airline");
  await page.waitForFunction(() => document.querySelector("#log > p")?.textContent.startsWith("0 edits"));
  await upload(page, "saved.espalier.jsonl", saved);
  await holds(page, 28);
  await page.waitForFunction(() => document.querySelector("#log > p")?.textContent.includes("1 message pinned"));
  assert.equal(await page.innerText("#log > p"), text);
  assert.deepEqual(complaints, []);
});

test("a file of one's own is there again after a reload, and after Back", async () => {
  const file = [
    { role: "user", content: "<b>Hello</b>" },
    { role: "assistant", content: "Hi." },
  ];
  await upload(page, "mine.json", JSON.stringify(file));
  await holds(page, 2);
  await page.waitForFunction(() => location.hash.includes("file=mine.json"));
  await page.reload();
  await holds(page, 2);
  assert.equal(await page.locator("#alert").count(), 0);
  assert.match((await rows())[0], /<b>Hello<\/b>/);
  await page.selectOption("#example", "airline");
  await page.waitForFunction(() => location.hash.includes("example=airline"));
  await page.goBack();
  await holds(page, 2);
});

test("a link to a file that is not here says so, and keeps its budget to itself", async () => {
  await page.goto("about:blank");
  await page.goto(`${server.url}#file=hers.json&budget=17`);
  await page.waitForSelector("#alert");
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  assert.match(await page.textContent("#alert"), /the file hers\.json, which is not in it/);
  assert.notEqual((await figures(page)).budget, 17);
});

test("an agent's session opens with its whole history on demand, and can be edited", async () => {
  const log = readFileSync(new URL("../fixtures/sessions/claude-code.jsonl", import.meta.url));
  await upload(page, "mine.jsonl", log);
  await holds(page, 4);
  await openTab(page, "file");
  await page.check("input[name=part][value=history]");
  await holds(page, 9);
});
