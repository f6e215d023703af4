/** Sessions of agents in the playground, in a real Chromium: dropped, chosen, looked at, fitted. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { opened } from "./browser.mjs";
import { drop, figures, holds, openTab, setBudget, upload } from "./conversation.mjs";

const LOG = readFileSync(new URL("../fixtures/sessions/claude-code.jsonl", import.meta.url), "utf8");

let page, complaints, server, close;
const asked = [];

before(async () => {
  const listen = (page) => page.on("request", (request) => asked.push(request.url()));
  const options = {
    ready: "#conversation:not([data-estimate]) [role=option]",
    viewport: { width: 1280, height: 1800 },
    before: listen,
  };
  ({ page, complaints, server, close } = await opened("#example=marshmallow", options));
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const text = async (id) => {
  await openTab(page, "file");
  return page.innerText(`#${id}`);
};
/** All rows, folded ones, too. */
async function messages() {
  for (const fold of await page.locator(".row.fold[data-open=false]").all()) await fold.click();
  await page.waitForFunction(() => [...document.querySelectorAll(".row .peek")].every((e) => e.textContent !== "…"));
  return page.locator(".row:not(.fold)").allTextContents();
}
async function said(id, words) {
  await page.waitForFunction(([id, words]) => document.getElementById(id)?.innerText.includes(words), [id, words]);
}
async function opens(name, content, count) {
  await drop(page, name, content);
  await holds(page, count);
  await settled();
}
const settled = () => page.waitForFunction(() => !document.body.classList.contains("busy"));
const isAlerted = () => page.locator("#alert").count();

test("the code that reads sessions is fetched with the first file, from the same server", async () => {
  const isSessions = (url) => url.endsWith("/sessions.js");
  await openTab(page, "file");
  assert.equal(await page.locator("#session").count(), 0);
  // The service worker fetches all files for later.
  assert.ok(
    !(await page.evaluate(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/sessions.js")),
    )),
  );
  await opens("mine.jsonl", LOG, 4);
  await said("session-tool", "Claude Code");
  assert.ok(asked.every((url) => url.startsWith(server.url) || /^(data|blob):/.test(url)));
  assert.ok(asked.some(isSessions));
});

test("a dropped log shows its tool, its numbers, what was left out and the torn line", async () => {
  await opens("mine.jsonl", LOG, 4);
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
  for (const id of ["compactions", "skipped", "broken"]) await page.click(`#${id} > summary`);
  assert.match(
    await text("compactions"),
    /^1 compaction\s+After message 7: 2 messages replaced all before it, 1,031 → 240 tokens/,
  );
  await page.click("#compactions li summary");
  assert.match(await text("compactions"), /The rounding in cart\.ts is fixed\./);
  assert.match(
    await text("skipped"),
    /^Left out: 4 lines or parts that are not messages[\s\S]*1 × progress[\s\S]*1 × error message: the API's error/,
  );
  assert.match(await text("broken"), /^1 broken line\s+Line 23: the last line is incomplete/);
  assert.equal(await page.inputValue("#example"), "");
  assert.deepEqual(complaints, []);
});

test("one switch shows the live context or the whole history, and both can be fitted", async () => {
  await upload(page, "mine.jsonl", LOG);
  await holds(page, 4);
  await settled();
  assert.match((await messages())[0], /This session continues an earlier one/);
  await page.focus("input[name=part]:checked");
  await page.keyboard.press("ArrowRight");
  await holds(page, 9);
  await settled();
  assert.match(
    (await messages()).join("\n"),
    /Why do the totals differ\?[\s\S]*→ Read\([\s\S]*export const total[\s\S]*Now the tests\./,
  );
  assert.doesNotMatch((await messages()).join("\n"), /continues an earlier one/);
  const { total } = await figures(page);
  await setBudget(page, total - 20);
  await page.waitForSelector("#messages .row.out, #messages .row.fold");
  await openTab(page, "file");
  await page.check("input[name=part][value=live]");
  await holds(page, 4);
  await settled();
  assert.equal(await page.inputValue("#tokens"), String(total - 20), "a budget of one's own stays");
  assert.deepEqual(complaints, []);
});

test("a side chain opens and leads back", async () => {
  await opens("mine.jsonl", LOG, 4);
  assert.deepEqual(await page.locator("#chain option").allTextContents(), [
    "the main conversation",
    "sub-agent: Find callers of total. (2 messages)",
    "abandoned branch: Rewrite all of it. (2 messages)",
  ]);
  await page.selectOption("#chain", "1");
  await holds(page, 2);
  await settled();
  assert.match((await messages()).join("\n"), /Rewrite all of it\.[\s\S]*Rewriting\./);
  assert.ok(await page.isDisabled("input[name=part][value=history]"));
  await page.selectOption("#encoding", "cl100k_base");
  await said("status", "tokens are sent");
  await settled();
  assert.equal((await messages()).length, 2, "another encoding counts the same view");
  await page.selectOption("#encoding", "o200k_base");
  await page.selectOption("#chain", "main");
  await holds(page, 4);
  await settled();
  assert.ok(await page.isEnabled("input[name=part][value=history]"));
});

test("an unknown file is refused with what was looked for and what it resembles; what was open stays", async () => {
  await opens("mine.jsonl", LOG, 4);
  const newer = { type: "turn", message: { role: "user" }, uuid: "u", parentUuid: null, sessionId: "s", body: "Hello" };
  await drop(page, "newer.jsonl", [newer, newer].map((line) => JSON.stringify(line)).join("\n"));
  await said("alert", "newer.jsonl is not a session file of a known tool");
  assert.match(
    await page.innerText("#alert"),
    /It resembles a file of Claude Code most[\s\S]*Known tools: [\s\S]*Claude Code[\s\S]*\[unknown_session\]/,
  );
  assert.equal((await messages()).length, 4);
  assert.equal(await page.textContent("#session-title"), "mine.jsonl");
  await page.check("input[name=part][value=history]");
  await holds(page, 9);
  await settled();
  await page.waitForSelector("#alert", { state: "detached" });
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
    page,
    "both.jsonl",
    [line("1", "first", "One."), line("2", "second", "Two.")].map((line) => JSON.stringify(line)).join("\n"),
  );
  await page.waitForSelector("#choice");
  assert.equal(await page.innerText("#choice-title"), "both.jsonl contains 2 conversations. Which one?");
  assert.equal(await isAlerted(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "conversation");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await holds(page, 1);
  await settled();
  assert.match((await messages())[0], /Two\./);
  await page.selectOption("#conversation", "1");
  await page.click("#choice button[type=submit]");
  await page.waitForFunction(() => document.querySelector("#messages .peek")?.textContent === "One.");
  await opens("mine.jsonl", LOG, 4);
  assert.equal(await page.locator("#choice").count(), 0);
});

test("a file that changed since it was chosen says so, and what was open stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-session-"));
  const path = join(folder, "both.jsonl");
  const line = (uuid, sessionId) =>
    JSON.stringify({ parentUuid: null, sessionId, uuid, type: "user", message: { role: "user", content: "Hi." } });
  writeFileSync(path, `${line("1", "first")}\n${line("2", "second")}\n`);
  await opens("mine.jsonl", LOG, 4);
  await page.setInputFiles("#file", path);
  await page.waitForSelector("#choice");
  writeFileSync(path, `${line("1", "first")}\n${line("2", "second")}\n${line("3", "third")}\n`);
  await page.click("#choice button[type=submit]");
  await said("alert", "both.jsonl cannot be read");
  assert.equal((await messages()).length, 4);
  rmSync(folder, { recursive: true });
});

test("an error is brought into sight", async () => {
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await drop(page, "unknown.json", '{"a":1}');
  await page.waitForFunction(() => {
    const { top, bottom } = document.getElementById("alert").getBoundingClientRect();
    return document.getElementById("alert").textContent.includes("unknown.json") && top >= 0 && bottom <= innerHeight;
  });
});

test("lists of messages and examples open as before, without the card of a session", async () => {
  await drop(page, "mine.jsonl", LOG);
  await openTab(page, "file");
  await page.waitForSelector("#session");
  await drop(page, "plain.json", JSON.stringify([{ role: "user", content: "Plain." }]));
  await holds(page, 1);
  await settled();
  assert.equal(await page.locator("#session").count(), 0);
  await page.selectOption("#example", "marshmallow");
  await holds(page, 28);
  await settled();
});

const FIXTURES = new URL("../fixtures/sessions/", import.meta.url);
for (const name of readdirSync(FIXTURES)) {
  test(`${name} opens, with all its views`, async () => {
    await openTab(page, "file");
    await drop(page, name, readFileSync(new URL(name, FIXTURES), "utf8"));
    await page.waitForFunction(
      (name) =>
        document.getElementById("choice-title")?.textContent.startsWith(name) ||
        document.getElementById("session-facts")?.textContent.includes(`File${name}`) ||
        document.getElementById("alert"),
      name,
    );
    if (await page.isVisible("#choice")) {
      await page.click("#choice button[type=submit]");
      await said("session-facts", name);
    }
    await settled();
    const fine = async (what) =>
      assert.equal(await isAlerted(), 0, `${what}: ${await page.locator("#alert").allTextContents()}`);
    await fine(name);
    const parts = (await page.isVisible("#part")) ? ["history", "live"] : [];
    const sides = (await page.locator("#chain option").count()) - 1;
    for (const part of parts) {
      await page.check(`input[name=part][value=${part}]`);
      await settled();
      await fine(part);
    }
    for (let side = 0; side < sides; side++) {
      await page.selectOption("#chain", String(side));
      await settled();
      await fine(`side chain ${side}`);
    }
    assert.deepEqual(complaints, []);
  });
}

test("a long history is one list, of which only the visible rows are in the page", async () => {
  const line = (at) => ({
    parentUuid: at === 0 ? null : `u${at - 1}`,
    sessionId: "s",
    uuid: `u${at}`,
    type: at % 2 ? "assistant" : "user",
    message: { role: at % 2 ? "assistant" : "user", content: `Message ${at}.` },
  });
  const text = Array.from({ length: 2_500 }, (_, at) => JSON.stringify(line(at))).join("\n");
  await opens("long.jsonl", text, 2_500);
  await page.selectOption("#filter", "gone");
  const first = page.locator(".row").first();
  assert.match(await first.getAttribute("aria-setsize"), /^1\d\d\d$/);
  assert.ok((await page.locator(".row").count()) < 100);
  await page.selectOption("#filter", "all");
  await page.focus("#messages");
  await page.keyboard.press("End");
  await page.waitForFunction(
    () => [...document.querySelectorAll(".row .peek")].at(-1)?.textContent === "Message 2499.",
  );
  await opens("mine.jsonl", LOG, 4);
  assert.equal((await messages()).length, 4);
});
