/** The playground as a person uses it, in a real Chromium. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { page as folder } from "../../scripts/page.mjs";
import { serve } from "../../scripts/serve.mjs";
import { launch } from "./browser.mjs";

let server, browser, page;
const complaints = [];
const strangers = [];

before(async () => {
  server = await serve(folder);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});
beforeEach(async () => {
  await page?.context().close();
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  complaints.length = strangers.length = 0;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on(
    "request",
    (request) =>
      !request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url()) && strangers.push(request.url()),
  );
});

const total = async (selector) => Number((await page.textContent(selector)).replace(/,/g, ""));
const shown = () => page.waitForSelector("#result:not([hidden])");

/** Waits until what is shown belongs to this budget. */
async function settled(budget) {
  await page.waitForFunction(
    (text) => document.getElementById("split").textContent.endsWith(`budget ${text}`),
    budget.toLocaleString("en"),
  );
}

async function open(hash = "") {
  await page.goto(`${server.url}${hash}`);
  await shown();
}

async function upload(name, content) {
  await page.setInputFiles("#file", { name, mimeType: "application/json", buffer: Buffer.from(content) });
}

async function budget(tokens) {
  await page.fill("#tokens", String(tokens));
  await page.press("#tokens", "Tab");
}

test("it opens with a real transcript, fitted, and asks nobody else for anything", async () => {
  await open();
  assert.equal(await total("#before"), 8_140);
  assert.ok((await total("#after")) <= 4_070);
  assert.equal(await page.locator("#messages > li").count(), 28);
  assert.deepEqual([complaints, strangers], [[], []]);
});

test("dragging the budget changes what is kept, and it always fits", async () => {
  await open();
  await page.focus("#slider");
  let last = Number.POSITIVE_INFINITY;
  for (const share of [90, 60, 30]) {
    await page.evaluate((value) => {
      const slider = document.getElementById("slider");
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }, String(share));
    const tokens = Math.ceil((8_140 * share) / 100);
    await settled(tokens);
    const now = await total("#after");
    assert.ok(now <= tokens && now <= last, `${now} of ${tokens}`);
    last = now;
  }
  await page.press("#slider", "ArrowRight");
  await settled(Math.ceil(81.4 * 31));
});

test("compacting shows the summary, what it stands for, and why", async () => {
  await open("#mode=compact&budget=4000");
  assert.ok((await total("#after")) <= 4_000);
  assert.match(await page.textContent("#summary-text"), /Conversation Overview[\s\S]*Active Work State/);
  assert.ok((await page.locator(".fate", { hasText: "covered" }).count()) > 5);
  const row = page.locator("#messages button").nth(1);
  await row.click();
  await page.waitForFunction(() => document.querySelector(".full pre")?.textContent.includes("<conversation-summary"));
  await page.locator("#messages button").nth(4).click();
  assert.match(
    await page.locator(".full small").nth(1).textContent(),
    /covered \(summary: the summary stands for it\)/,
  );
  await page.click("#steps summary");
  assert.match(await page.textContent("#step-list"), /offline: applied/);
});

test("the filter shows what goes", async () => {
  await open();
  await page.selectOption("#filter", "gone");
  const visible = await page.locator("#messages > li:visible .fate").allTextContents();
  assert.ok(visible.length > 0 && visible.every((fate) => ["dropped", "changed"].includes(fate)));
});

test("a budget below what must stay says what cannot go, and the page goes on", async () => {
  await open();
  await budget(100);
  await page.waitForSelector("#alert:not([hidden])");
  assert.match(await page.textContent("#alert"), /What must be kept needs [\s\S]*m1: 815 tokens \(newest request\)/);
  await budget(5_000);
  await settled(5_000);
  assert.equal(await page.isHidden("#alert"), true);
  await budget(-5);
  await page.waitForSelector("#alert:not([hidden])");
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
];
for (const [what, content, expected] of FILES) {
  test(`a file that is ${what} is refused with a sentence, and what was open stays`, async () => {
    await open();
    await upload("mine.json", content);
    await page.waitForSelector("#alert:not([hidden])");
    assert.match(await page.textContent("#alert"), expected);
    assert.equal(await total("#before"), 8_140);
    await budget(3_000);
    await settled(3_000);
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
    await upload("mine.json", content);
    await page.waitForFunction(
      ([name, count]) =>
        document.getElementById("status").textContent.includes(`of ${name},`) &&
        document.getElementById("messages-title").textContent === `Messages (${count})`,
      [format, count],
    );
    await page.waitForSelector("#alert", { state: "hidden" });
    assert.equal(await page.inputValue("#example"), "");
    assert.deepEqual(complaints, []);
  });
}

test("a large transcript does not freeze the page", async () => {
  await open();
  const line = "some words of a long conversation that goes on and on. ".repeat(200);
  const messages = Array.from({ length: 3_000 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${i} ${line}`,
  }));
  // Ticks of the main thread while the worker works.
  await page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    setInterval(() => {
      globalThis.longest = Math.max(globalThis.longest, performance.now() - last);
      last = performance.now();
    }, 10);
  });
  // As a file on disk: bytes handed over by the test would be decoded on the page's main thread.
  const folder = mkdtempSync(join(tmpdir(), "espalier-"));
  writeFileSync(join(folder, "large.json"), JSON.stringify(messages));
  await page.evaluate(() => (globalThis.longest = 0));
  await page.setInputFiles("#file", join(folder, "large.json"));
  await page.waitForFunction(
    () => document.getElementById("messages-title").textContent === "Messages (3000)",
    undefined,
    { timeout: 60_000 },
  );
  // Generous: drawing three thousand rows happens here; reading and counting 33 MB would take many seconds.
  const longest = await page.evaluate(() => globalThis.longest);
  assert.ok(longest < 3_000, `${longest} ms`);
  await budget(50_000);
  await settled(50_000);
  assert.ok((await total("#after")) <= 50_000);
  rmSync(folder, { recursive: true });
});

test("the address remembers mode, budget and encoding", async () => {
  await open("#mode=compact&budget=3000&encoding=cl100k_base");
  assert.equal(await page.inputValue("#tokens"), "3000");
  assert.match(await page.textContent("#status"), /cl100k_base/);
  await page.check("input[value=prune]");
  await page.waitForFunction(() => location.hash.includes("mode=prune"));
  await page.reload();
  await shown();
  assert.equal(await page.isChecked("input[value=prune]"), true);
  assert.equal(await page.inputValue("#tokens"), "3000");
});

test("dropping a file opens it", async () => {
  await open();
  const text = readFileSync(new URL("../fixtures/transcripts/tau-airline-11.json", import.meta.url), "utf8");
  await page.evaluate((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "dropped.json"));
    dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, text);
  await page.waitForFunction(() => document.getElementById("messages-title").textContent === "Messages (36)");
});

test("every control has a name, and the keyboard reaches all of them", async () => {
  await open();
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("input, select, button")]
      .filter((control) => !(control.labels?.length || control.textContent.trim() || control.ariaLabel))
      .map((control) => control.outerHTML),
  );
  assert.deepEqual(nameless, []);
  const reached = new Set();
  for (let i = 0; i < 18; i++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(
        () => document.activeElement.id || document.activeElement.name || document.activeElement.tagName,
      ),
    );
  }
  for (const id of ["example", "file", "mode", "encoding", "slider", "tokens", "filter"])
    assert.ok(reached.has(id), `${id} of ${[...reached]}`);
  await page.focus("#messages button");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".full pre");
});
