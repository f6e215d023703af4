/** Sessions of agents in the playground, in a real Chromium: dropped, chosen, looked at, fitted. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { opened } from "./browser.mjs";

const LOG = readFileSync(new URL("../fixtures/sessions/claude-code.jsonl", import.meta.url), "utf8");

let page, complaints, server, close;
const asked = [];

before(async () => {
  const listen = (page) => page.on("request", (request) => asked.push(request.url()));
  ({ page, complaints, server, close } = await opened("", { viewport: { width: 1280, height: 900 }, before: listen }));
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const text = (id) => page.innerText(`#${id}`);
const messages = () => page.locator("#messages > li").allTextContents();
const titled = (title) =>
  page.waitForFunction((title) => document.getElementById("messages-title").textContent === title, title);
const said = (id, words) =>
  page.waitForFunction(([id, words]) => document.getElementById(id).innerText.includes(words), [id, words]);
const choose = (name, content) => page.setInputFiles("#file", { name, mimeType: "", buffer: Buffer.from(content) });

function drop(name, content) {
  return page.evaluate(
    ([name, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name));
      dispatchEvent(new DragEvent("dragover", { dataTransfer, cancelable: true }));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    },
    [name, content],
  );
}

test("the code that reads sessions is fetched with the first file, from the same server", async () => {
  const isSessions = (url) => url.endsWith("/sessions.js");
  assert.ok(await page.isHidden("#session"));
  // The service worker fetches all files for later.
  assert.ok(
    !(await page.evaluate(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/sessions.js")),
    )),
  );
  await drop("mine.jsonl", LOG);
  await said("session-tool", "Claude Code");
  assert.ok(asked.every((url) => url.startsWith(server.url) || /^(data|blob):/.test(url)));
  assert.ok(asked.some(isSessions));
});

test("a dropped log shows its tool, its numbers, what was left out and the torn line", async () => {
  await drop("mine.jsonl", LOG);
  await titled("Messages (4)");
  assert.equal(
    await text("session-tool"),
    "A session of Claude Code (version 2.1.0), recognised by 17 lines of the types user and assistant with uuid and an Anthropic message.",
  );
  assert.match(
    await text("session-facts"),
    /4 live, 9 in the whole history; 4 turns of the user[\s\S]*claude-sonnet-4-5[\s\S]*mine\.jsonl, of a session in \/srv\/shop\. .*nothing of it is sent/,
  );
  assert.match(
    await text("session-facts"),
    /reported 1,026 tokens, 1,020 of them from the cache \(claude-sonnet-4-5\)\. Counted here: \d+ in 6 messages \(o200k_base.*lacks the system prompt and the tool definitions/,
  );
  for (const details of await page.locator("#session > details > summary").all()) await details.click();
  assert.match(
    await text("compactions"),
    /^1 compaction\s+After message 7: 2 messages replaced all before it, 1,031 → 240 tokens/,
  );
  await page.click("#compactions-list summary");
  assert.match(await text("compactions-list"), /The rounding in cart\.ts is fixed\./);
  assert.match(
    await text("skipped"),
    /^Left out: 4 lines or parts that are not messages[\s\S]*1 × progress[\s\S]*1 × error message: the API's error/,
  );
  assert.match(await text("broken"), /^1 broken line\s+Line 23: the last line is incomplete/);
  assert.equal(await page.inputValue("#example"), "");
  assert.deepEqual(complaints, []);
});

test("one switch shows the live context or the whole history, and both can be fitted", async () => {
  await choose("mine.jsonl", LOG);
  await titled("Messages (4)");
  assert.match((await messages())[0], /This session continues an earlier one/);
  await page.focus("input[name=view]:checked");
  await page.keyboard.press("ArrowRight");
  await titled("Messages (9)");
  assert.match(
    (await messages()).join("\n"),
    /Why do the totals differ\?[\s\S]*→ Read\([\s\S]*export const total[\s\S]*Now the tests\./,
  );
  assert.doesNotMatch((await messages()).join("\n"), /continues an earlier one/);
  const total = Number((await text("before")).replaceAll(",", ""));
  await page.fill("#tokens", String(total - 20));
  await page.press("#tokens", "Tab");
  await said("split", `budget ${total - 20}`);
  await page.waitForSelector("#messages .gone");
  await page.check("input[name=view][value=live]");
  await titled("Messages (4)");
  assert.equal(await page.inputValue("#tokens"), String(total - 20), "a budget of one's own stays");
  assert.deepEqual(complaints, []);
});

test("a side chain opens and leads back", async () => {
  await drop("mine.jsonl", LOG);
  await titled("Messages (4)");
  assert.deepEqual(await page.locator("#chain option").allTextContents(), [
    "the main conversation",
    "sub-agent: Find callers of total. (2 messages)",
    "abandoned branch: Rewrite all of it. (2 messages)",
  ]);
  await page.selectOption("#chain", "1");
  await titled("Messages (2)");
  assert.match((await messages()).join("\n"), /Rewrite all of it\.[\s\S]*Rewriting\./);
  assert.ok(await page.isDisabled("input[name=view][value=history]"));
  await page.selectOption("#encoding", "cl100k_base");
  await said("status", "cl100k_base");
  assert.equal((await messages()).length, 2, "another encoding counts the same view");
  await page.selectOption("#encoding", "o200k_base");
  await page.selectOption("#chain", "main");
  await titled("Messages (4)");
  assert.ok(await page.isEnabled("input[name=view][value=history]"));
});

test("an unknown file is refused with what was looked for and what it resembles; what was open stays", async () => {
  await drop("mine.jsonl", LOG);
  await titled("Messages (4)");
  const newer = { type: "turn", message: { role: "user" }, uuid: "u", parentUuid: null, sessionId: "s", body: "Hello" };
  await drop("newer.jsonl", [newer, newer].map((line) => JSON.stringify(line)).join("\n"));
  await said("alert", "newer.jsonl is not a session file of a known tool");
  assert.match(
    await text("alert"),
    /It resembles a file of Claude Code most[\s\S]*Known tools: [\s\S]*Claude Code[\s\S]*\[unknown_session\]/,
  );
  assert.equal((await messages()).length, 4);
  assert.equal(await page.textContent("#session-title"), "mine.jsonl");
  await page.check("input[name=view][value=history]");
  await titled("Messages (9)");
  await page.waitForSelector("#alert", { state: "hidden" });
});

test("of several sessions in a file one is chosen, and another later", async () => {
  const line = (uuid, sessionId, content) => ({
    parentUuid: null,
    sessionId,
    uuid,
    type: "user",
    message: { role: "user", content },
  });
  await drop(
    "both.jsonl",
    [line("1", "first", "One."), line("2", "second", "Two.")].map((line) => JSON.stringify(line)).join("\n"),
  );
  await page.waitForSelector("#choice:not([hidden])");
  assert.equal(await text("choice-title"), "both.jsonl contains 2 conversations. Which one?");
  assert.ok(await page.isHidden("#alert"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "conversation");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await titled("Messages (1)");
  assert.match((await messages())[0], /Two\./);
  await page.selectOption("#conversation", "1");
  await page.click("#choice button");
  await page.waitForFunction(() => document.querySelector("#messages .peek")?.textContent === "One.");
  await drop("mine.jsonl", LOG);
  await titled("Messages (4)");
  assert.ok(await page.isHidden("#choice"));
});

test("a file that changed since it was chosen says so, and what was open stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-session-"));
  const path = join(folder, "both.jsonl");
  const line = (uuid, sessionId) =>
    JSON.stringify({ parentUuid: null, sessionId, uuid, type: "user", message: { role: "user", content: "Hi." } });
  writeFileSync(path, `${line("1", "first")}\n${line("2", "second")}\n`);
  await drop("mine.jsonl", LOG);
  await titled("Messages (4)");
  await page.setInputFiles("#file", path);
  await page.waitForSelector("#choice:not([hidden])");
  writeFileSync(path, `${line("1", "first")}\n${line("2", "second")}\n${line("3", "third")}\n`);
  await page.click("#choice button");
  await said("alert", "both.jsonl cannot be read");
  assert.equal((await messages()).length, 4);
  rmSync(folder, { recursive: true });
});

test("an error is brought into sight", async () => {
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await drop("unknown.json", '{"a":1}');
  await page.waitForFunction(() => {
    const { top, bottom } = document.getElementById("alert").getBoundingClientRect();
    return document.getElementById("alert").textContent.includes("unknown.json") && top >= 0 && bottom <= innerHeight;
  });
});

test("lists of messages and examples open as before, without the card of a session", async () => {
  await drop("mine.jsonl", LOG);
  await page.waitForSelector("#session:not([hidden])");
  await drop("plain.json", JSON.stringify([{ role: "user", content: "Plain." }]));
  await titled("Messages (1)");
  assert.ok(await page.isHidden("#session"));
  await page.selectOption("#example", { index: 0 });
  await titled("Messages (28)");
});

const FIXTURES = new URL("../fixtures/sessions/", import.meta.url);
for (const name of readdirSync(FIXTURES)) {
  test(`${name} opens, with all its views`, async () => {
    await drop(name, readFileSync(new URL(name, FIXTURES), "utf8"));
    await page.waitForFunction(
      (name) =>
        document.getElementById("choice-title").textContent.startsWith(name) ||
        document.getElementById("session-facts").textContent.includes(`File${name}`) ||
        !document.getElementById("alert").hidden,
      name,
    );
    if (await page.isVisible("#choice")) {
      await page.click("#choice button");
      await said("session-facts", name);
    }
    const settled = () => page.waitForFunction(() => !document.body.classList.contains("busy"));
    await settled();
    assert.ok(await page.isHidden("#alert"), await text("alert"));
    const views = (await page.isVisible("#view")) ? ["history", "live"] : [];
    const sides = (await page.locator("#chain option").count()) - 1;
    for (const view of views) {
      await page.check(`input[name=view][value=${view}]`);
      await settled();
      assert.ok(await page.isHidden("#alert"), `${view}: ${await text("alert")}`);
    }
    for (let side = 0; side < sides; side++) {
      await page.selectOption("#chain", String(side));
      await settled();
      assert.ok(await page.isHidden("#alert"), `side chain ${side}: ${await text("alert")}`);
    }
    assert.deepEqual(complaints, []);
  });
}

test("a long history is shown page by page, the filter chooses before that", async () => {
  const line = (at) => ({
    parentUuid: at === 0 ? null : `u${at - 1}`,
    sessionId: "s",
    uuid: `u${at}`,
    type: at % 2 ? "assistant" : "user",
    message: { role: at % 2 ? "assistant" : "user", content: `Message ${at}.` },
  });
  await drop("long.jsonl", Array.from({ length: 2_500 }, (_, at) => JSON.stringify(line(at))).join("\n"));
  await titled("Messages (2500)");
  assert.equal((await messages()).length, 1_000);
  assert.equal(await text("page"), "1–1,000 of 2,500");
  assert.ok(await page.isDisabled("#page-first"));
  await page.focus("#page-last");
  await page.keyboard.press("Enter");
  assert.equal(await text("page"), "2,001–2,500 of 2,500");
  assert.match((await messages()).at(-1), /Message 2499\./);
  await page.click("#page-back");
  assert.match((await messages())[0], /Message 1000\./);
  await page.selectOption("#filter", "gone");
  assert.match(await text("page"), /^1–1,000 of 1,\d\d\d$/);
  await page.selectOption("#filter", "all");
  await drop("mine.jsonl", LOG);
  await titled("Messages (4)");
  assert.ok(await page.isHidden("#pager"));
  assert.equal((await messages()).length, 4);
});
