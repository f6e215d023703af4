/**
 * Four people with a question each, from the first page to the answer, in a real Chromium. Every action is counted:
 * three are the most. An answer counts if it can be read without scrolling, or is what a screen reader says.
 */

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { createPiece, render, TextChunk, UserMessage } from "../../pkg/dist/prompt-node.js";
import { page as folder } from "../../scripts/page.mjs";
import { serve } from "../../scripts/serve.mjs";
import { contextOf, kept, launch } from "./browser.mjs";
import { person, read } from "./person.mjs";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MAX_ACTIONS = 3;
const fixture = (name) => new URL(`../fixtures/${name}`, import.meta.url);
/** 990 messages, 402,554 tokens. */
const LONG = readFileSync(fixture("transcripts/pi-refactor-long.json"), "utf8");
const EXACT = "#conversation:not([data-estimate]) [role=option]";

let server, browser, context, page, someone;
before(async () => {
  server = await serve(folder);
  browser = await launch();
});
afterEach(() => context?.close());
after(async () => {
  await browser?.close();
  server?.close();
});

async function arrive(options = {}) {
  context = await contextOf(browser, { viewport: { width: 1280, height: 900 }, ...options });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  someone = person(page);
  await page.goto(server.url);
  await page.waitForSelector(EXACT);
}

const inThreeActions = () =>
  assert.ok(someone.done.length > 0 && someone.done.length <= MAX_ACTIONS, someone.done.join(", "));

test("an extension author drops the trace of a prompt, and reads what went first and why", async () => {
  const pieces = Array.from({ length: 12 }, (_, priority) =>
    createPiece(UserMessage, { priority }, createPiece(TextChunk, null, `line ${priority} `.repeat(8))),
  );
  const trace = (await render(pieces, { budget: 150 })).trace();
  await arrive();
  await someone.drop("trace.json", JSON.stringify(trace));
  assert.match(await read(page, ".outcome", /First to go/), /removed\. First to go: user “line 0 line 0/);
  await someone.click("#first");
  const why = await read(page, "#detail .fate", /removed in step 1/);
  assert.match(why, /it had the lowest priority \(0, set on UserMessage\)/);
  inThreeActions();
});

test("an extension author drops the file with a prompt's code, and reads what goes at which budget", async () => {
  const code = readFileSync(new URL("../../www/prompt/example-prompt.tsx", import.meta.url), "utf8");
  await arrive();
  await someone.drop("prompt.tsx", code);
  await read(page, ".outcome", /tokens/);
  await someone.press("[");
  await read(page, ".outcome", /removed\. First to go/);
  await someone.press("n");
  await read(page, "#detail .fate", /removed in step \d+ to meet the budget: it had the lowest priority/);
  inThreeActions();
});

test("an agent's developer with 400,000 tokens reads what fits, what goes next, and why", async () => {
  await arrive();
  await someone.drop("my-agent.json", LONG);
  await page.waitForFunction(() => document.getElementById("example").selectedOptions[0].text === "my-agent.json");
  await page.waitForSelector("body:not(.busy)");
  assert.match(await read(page, "#headline", /990 messages/), /402,554 tokens; 64,000 fit/);
  assert.match(await read(page, "#sent-line", /next to go/), /63,\d{3} are sent, 758 messages out; next to go: /);
  await someone.press("n");
  await read(page, "#why", /kept.*It is the next to go/);
  inThreeActions();
});

test("an agent's developer reads when it compacts, how long requests wait, and what the cache loses", async () => {
  await arrive();
  await someone.drop("my-agent.json", LONG);
  await page.waitForFunction(() => document.getElementById("example").selectedOptions[0].text === "my-agent.json");
  await page.waitForSelector("body:not(.busy)");
  await someone.click("#view-run");
  await read(page, "#run-state", /The run is complete/);
  const said = await read(page, "#status", /The run is complete/);
  assert.match(said, /485 requests, 10 compactions, \d+ waits, 9\d % from the cache\.$/);
  inThreeActions();
});

test("on a phone without a network, a session is opened and fitted", async () => {
  await arrive({ viewport: { width: 400, height: 800 }, hasTouch: true, isMobile: true, isKept: true });
  await kept(page, "sessions.js", "vocab/o200k_base.vocab");
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector(EXACT);
  const chooser = await someone.tapFor(".file");
  await someone.choose(chooser, fileURLToPath(fixture("sessions/claude-code.jsonl")));
  const whole = await read(page, "#headline", /^(?!990)\d+ messages, [\d,]+ tokens; [\d,]+ fit/);
  await someone.slide("#slider", 0.75);
  await page.waitForFunction((old) => document.getElementById("headline").innerText !== old, whole);
  assert.match(await read(page, "#sent-line", /are sent/), /^[\d,]+ are sent, \d+ messages? out/);
  assert.equal(await page.locator("#alert").count(), 0);
  inThreeActions();
});

test("with the keyboard alone, a screen reader says what fits, what goes next, and why", async () => {
  await arrive();
  await page.waitForFunction(() => document.activeElement.id === "slider", undefined, { timeout: 5_000 });
  // What is said of the element that has the focus, without an action.
  await page.waitForFunction(() => /next to go/.test(document.activeElement.getAttribute("aria-valuetext")));
  assert.match(
    await page.getAttribute("#slider", "aria-valuetext"),
    /^64,000 of 402,554 tokens, 758 messages out, next to go: /,
  );
  await someone.press("[");
  const said = await read(page, "#status", /6[0-3],\d{3} of 402,554 tokens are sent; \d+ messages out\.$/);
  await someone.press("n");
  // The worker is asked which message goes next.
  await page.waitForFunction(() => document.activeElement.id === "messages");
  const active = page.locator(`#${await page.getAttribute("#messages", "aria-activedescendant")}`);
  assert.match(await active.innerText(), /kept/);
  assert.equal(await active.getAttribute("aria-selected"), "true");
  assert.notEqual(await read(page, "#status", /Message \d+ is kept[.:] .*It is the next to go\.$/), said);
  inThreeActions();
});

test("with the keyboard alone, words are found, and the fate of their message is said", async () => {
  await arrive();
  await someone.press("/");
  await page.keyboard.type("changelog");
  await page.waitForFunction(() => /contain “changelog”/.test(document.getElementById("status").textContent));
  await someone.press("Enter");
  await someone.press("Home");
  await read(page, "#status", /Message \d+ is (kept|gone)[.:] ./);
  inThreeActions();
});
