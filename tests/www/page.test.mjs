/** The playground as a person uses it, in a real Chromium. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { contextOf, forgotten, hosted } from "./browser.mjs";
import { alerted, drop, figures, fitted, holds, openTab, paste, setBudget, upload } from "./conversation.mjs";

const host = hosted();
let page;
const complaints = [];
const strangers = [];

async function start() {
  page = await (await contextOf(host.browser, { viewport: { width: 1280, height: 1400 } })).newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on(
    "request",
    (request) =>
      !request.url().startsWith(host.url) && !/^(data|blob):/.test(request.url()) && strangers.push(request.url()),
  );
}
beforeEach(async () => {
  await (page ? forgotten(page, host) : start());
  complaints.length = strangers.length = 0;
});

const SMALL = "#example=marshmallow";

async function open(hash = SMALL) {
  await page.goto(`${host.url}${hash}`);
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
}

test("it opens with a large real transcript, already fitted, and asks nobody else for anything", async () => {
  await open("");
  const { messages, total, budget, sent, out } = await figures(page);
  assert.deepEqual([messages, total, budget], [990, 402_554, 64_000]);
  assert.ok(sent <= budget && out > 500, `${sent}, ${out}`);
  assert.deepEqual([complaints, strangers], [[], []]);
});

test("only the visible rows are in the document, with their texts", async () => {
  await open("");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".row .peek")].every(({ textContent }) => textContent !== "…"),
  );
  assert.ok((await page.locator("[role=option]").count()) < 80);
  await page.focus("#messages");
  await page.keyboard.press("End");
  await page.waitForFunction(
    () => document.querySelector("[role=option][aria-selected=true] .index")?.textContent === "990",
  );
  assert.ok((await page.locator("[role=option]").count()) < 80);
});

test("dragging the budget changes what is kept, and it always fits", async () => {
  await open();
  let last = Number.POSITIVE_INFINITY;
  for (const budget of [7_326, 4_884, 2_442]) {
    await page.evaluate((value) => {
      const slider = document.getElementById("slider");
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, String(budget));
    const set = Number(await page.inputValue("#slider"));
    await fitted(page, set);
    const { sent } = await figures(page);
    assert.ok(sent <= set && sent <= last, `${sent} of ${set}`);
    last = sent;
  }
  await page.focus("#slider");
  const before = Number(await page.inputValue("#slider"));
  await page.keyboard.press("ArrowRight");
  const now = Number(await page.inputValue("#slider"));
  assert.ok(now > before);
  await fitted(page, now);
});

test("a removed stretch is one row that opens, and a row says why it went", async () => {
  await open();
  const fold = page.locator(".row.fold").first();
  const [, size] = /(\d+) gone/.exec(await fold.textContent());
  const rows = await page.locator("[role=option]").count();
  await fold.click();
  await page.waitForFunction(
    (count) => document.querySelectorAll("#conversation:not([data-estimate]) [role=option]").length === count,
    rows + Number(size),
  );
  await page.locator(".row.dropped").first().click();
  await page.waitForSelector("#why .dropped");
  assert.match(
    await page.textContent("#why"),
    /gone[\d,]* .*tokens.*\((old-turn|old-round|current-round|repeated-read)/s,
  );
  assert.ok((await page.textContent("#original")).length > 10);
});

test("the reason of an open message is always that of the shown run", async () => {
  await open(`${SMALL}&budget=3000`);
  await page.locator(".row.fold").first().click();
  const row = page.locator(".row.dropped").first();
  const index = await row.locator(".index").textContent();
  await row.click();
  await page.waitForSelector("#why .dropped");
  await setBudget(page, 8_140);
  await fitted(page, 8_140);
  await page.waitForSelector("#why .kept");
  assert.match(await page.textContent("#message h2"), new RegExp(`^${index}\\.`));
  assert.match(await page.textContent("#why"), /sent word for word/);
});

test("a budget for everything removes nothing, whatever was repaired", async () => {
  await open(`${SMALL}&budget=9000`);
  await openTab(page, "result");
  assert.match(await page.textContent("#said"), /^It fits; nothing was removed\. 8 messages repaired/);
  assert.equal((await figures(page)).out, 0);
});

test("compacting shows the summary, what it replaces, and why", async () => {
  await open(`${SMALL}&mode=compact&budget=4000`);
  assert.ok((await figures(page)).sent <= 4_000);
  assert.match(await page.textContent("#summary"), /## Active Work State\nm\d+: /);
  assert.match(await page.textContent("#steps"), /offline: applied/);
  assert.match(await page.locator(".row.fold").first().textContent(), /\d+ covered.*[\d,]+ → [\d,]+/s);
  await page.locator(".row.inserted").first().click();
  await page.waitForFunction(() => document.getElementById("original")?.textContent.includes("<conversation-summary"));
  await page.locator(".row.fold").first().click();
  await page.locator(".row.covered").first().click();
  await page.waitForSelector("#why .covered");
  assert.match(await page.textContent("#why"), /the summary .*\(summary\)/);
  const legend = await page.textContent(".legend");
  for (const name of ["must stay", "floor", "starts beside", "sent", "trigger", "target"])
    assert.match(legend, new RegExp(`${name} \\d[\\d,.]*k?`));
});

test("where the budget changes nothing, one sentence says so", async () => {
  await open("#example=pi&mode=compact&budget=300000");
  await page.waitForFunction(() =>
    /The budget has (no|little) effect here/.test(document.getElementById("sent-line").textContent),
  );
});

test("the filter shows what goes, and words find messages", async () => {
  await open();
  await page.selectOption("#filter", "gone");
  const fates = await page.locator(".row .fate").allTextContents();
  assert.ok(
    fates.length > 0 && fates.every((fate) => ["gone", "changed", "repaired"].includes(fate.trim())),
    `${fates}`,
  );
  await page.selectOption("#filter", "all");
  await page.keyboard.press("Escape");
  await page.focus("#messages");
  await page.keyboard.press("/");
  await page.keyboard.type("marshmallow");
  await page.waitForFunction(
    () => !document.querySelector(".row.fold") && document.querySelectorAll(".row").length > 0,
  );
  const found = await page.locator(".row").count();
  assert.ok(found > 0 && found < 28);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "messages");
});

test("a budget below what must stay offers the smallest one, and names what is still shown", async () => {
  await open();
  await setBudget(page, 100);
  await alerted(page);
  assert.match(await page.textContent("#alert"), /What must be kept needs [\s\S]*m1: 815 tokens \(newest request\)/);
  assert.match(await page.textContent("#alert"), /Below is still .*marshmallow, fitted to 4,070 tokens/);
  assert.ok(await page.locator("main.stale").isVisible());
  const label = await page.textContent("#mend");
  await page.click("#mend");
  await page.waitForSelector("#alert", { state: "detached" });
  const needed = Number(/[\d,]+/.exec(label)[0].replace(",", ""));
  await fitted(page, needed);
  await setBudget(page, -5);
  await alerted(page);
  assert.match(await page.textContent("#alert"), /whole number/);
});

const FILES = [
  ["not JSON", "nope", /not JSON/],
  [
    "of no known format",
    '{"a":1}',
    /a JSON object with the fields a\. Known tools: .*Claude Code.* It is neither a list of messages nor a request of a provider/,
  ],
  [
    "with a message without role",
    '{"messages":[{"role":"user","content":"a"},{"content":"b"}]}',
    /messages\[1\]\.role/,
  ],
  ["empty", "", /is empty/],
  ["of lines, of which the third is broken", '{"role":"user","content":"a"}\n\n{"role":"user"', /[Ll]ine 3/],
  ["binary", "\0\x01\x02PNG\0\0", /binary|not JSON/],
];
for (const [what, content, expected] of FILES) {
  test(`a file that is ${what} is refused with a sentence, and what was open stays`, async () => {
    await open();
    await upload(page, "mine.json", content);
    await alerted(page);
    assert.match(await page.textContent("#alert"), expected);
    assert.equal((await figures(page)).total, 8_140);
    assert.equal(await page.inputValue("#example"), "marshmallow");
    await setBudget(page, 3_000);
    await fitted(page, 3_000);
  });
}

const hello = { role: "user", content: "hello there, how do you do?" };
const GOOD = [
  ["OpenAI chat", JSON.stringify([hello, { role: "assistant", content: "well" }, hello]), "openai-chat", 3],
  [
    "one message a line",
    [hello, { role: "assistant", content: "well" }, hello].map((m) => JSON.stringify(m)).join("\n"),
    "openai-chat",
    3,
  ],
  [
    "an Anthropic request",
    JSON.stringify({
      system: "be kind",
      messages: [
        hello,
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
      ],
    }),
    "anthropic",
    4,
  ],
  ["Gemini contents", JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }), "gemini", 1],
  [
    "lone surrogates and odd characters",
    String.raw`[{"role":"user","content":"a\ud800b <script>alert(1)</script> &amp;"}]`,
    "openai-chat",
    1,
  ],
];
for (const [what, content, format, count] of GOOD) {
  test(`a file with ${what} is read`, async () => {
    await open();
    await upload(page, "mine.json", content);
    await holds(page, count);
    await openTab(page, "file");
    assert.match(await page.textContent("#facts"), new RegExp(`of ${format},`));
    assert.equal(await page.locator("#alert").count(), 0);
    assert.equal(await page.inputValue("#example"), "");
    assert.deepEqual(complaints, []);
  });
}

test("the address keeps mode, budget and encoding, and Back undoes", async () => {
  await open(`${SMALL}&mode=compact&budget=3000&encoding=cl100k_base`);
  assert.equal(await page.inputValue("#tokens"), "3000");
  await openTab(page, "result");
  assert.match(await page.textContent("#outcome"), /cl100k_base/);
  await page.check("input[value=prune]");
  await page.waitForFunction(() => location.hash.includes("mode=prune"));
  await setBudget(page, 2_500);
  await page.waitForFunction(() => location.hash.includes("budget=2500"));
  await page.reload();
  await fitted(page, 2_500);
  assert.equal(await page.isChecked("input[value=prune]"), true);
  await page.goBack();
  await fitted(page, 3_000);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("input[value=compact]").checked);
});

test("what is typed as a budget stays while results arrive", async () => {
  await open("");
  await page.focus("#tokens");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("70");
  await page.evaluate(() => {
    const slider = document.getElementById("slider");
    slider.value = "90000";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const moved = Number(await page.inputValue("#slider"));
  await fitted(page, moved);
  assert.equal(await page.inputValue("#tokens"), "70");
  await page.keyboard.type("000");
  await page.keyboard.press("Enter");
  await fitted(page, 70_000);
});

test("where only lengths change next, nothing false is said", async () => {
  await open(`${SMALL}&budget=4070`);
  await page.waitForFunction(() =>
    document.getElementById("sent-line").textContent.includes("next, results get shorter"),
  );
});

test("an address that is entered into the open page is followed", async () => {
  await open();
  await page.evaluate(() => (location.hash = "#example=airline&budget=2000"));
  await page.waitForFunction(() => document.getElementById("example").value === "airline");
  await fitted(page, 2_000);
  assert.equal(await page.inputValue("#example"), "airline");
});

test("an address with an example that does not exist says so, and opens the first", async () => {
  await open();
  await page.evaluate(() => (location.hash = "#example=marshmallows&budget=3000"));
  // What is below is named once it is there.
  await page.waitForSelector("#alert:has-text('Below is instead Coding agent: a day of refactoring')");
  const said = await page.innerText("#alert");
  assert.match(said, /names the example “marshmallows”, which this version of the page does not have/);
  await fitted(page, 64_000);
  assert.equal(await page.inputValue("#example"), "pi");
  assert.equal(await page.getAttribute("#main", "class"), "", "what is shown is not older than the alert");
  await page.click("#dismiss");
});

test("u and Ctrl+Z undo the budget", async () => {
  await open();
  const { budget } = await figures(page);
  await setBudget(page, 3_000);
  await page.waitForFunction(() => location.hash.includes("budget=3000"));
  await setBudget(page, 2_500);
  await fitted(page, 2_500);
  await page.focus("#messages");
  await page.keyboard.press("u");
  await fitted(page, 3_000);
  await page.keyboard.press("Control+z");
  await fitted(page, budget);
});

const TRANSCRIPT = readFileSync(new URL("../fixtures/transcripts/tau-airline-11.json", import.meta.url), "utf8");

test("dropping a file opens it", async () => {
  await open();
  await drop(page, "dropped.json", TRANSCRIPT);
  await holds(page, 36);
});

test("pasting a transcript opens it, and pasting into a field does not", async () => {
  await open();
  await paste(page, TRANSCRIPT);
  await holds(page, 36);
  await page.focus("#words");
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "[]");
    document.getElementById("words").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#alert").count(), 0);
});

test("the theme is switched, and stays after a reload", async () => {
  await open();
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.click("#theme");
  await page.click("#theme");
  const dark = await back();
  assert.notEqual(light, dark);
  await page.reload();
  await page.waitForSelector("#conversation:not([data-estimate]) [role=option]");
  assert.equal(await back(), dark);
});

test("before the vocabulary is there an estimate is shown, and then the exact figures", async () => {
  await page.context().close();
  const context = await contextOf(host.browser, { viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await context.route("**/*.vocab", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(host.url);
  await page.waitForSelector("#conversation[data-estimate] [role=option]");
  assert.match(await page.textContent("#headline"), /^990 messages, about [\d,]+,000 tokens\.$/);
  const [, about] = /about ([\d,]+)/.exec(await page.textContent("#headline"));
  assert.ok(Math.abs(Number(about.replace(/,/g, "")) - 402_554) < 80_000, about);
  assert.ok((await page.locator(".row .peek").allTextContents()).filter((text) => text.length > 3).length > 5);
  release();
  await fitted(page, 64_000);
  assert.equal((await figures(page)).total, 402_554);
});
