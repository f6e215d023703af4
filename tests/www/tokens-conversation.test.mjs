/** A conversation in the view of tokens, in a real Chromium: which tokens a message and the whole request have. */

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { countMessages, encode } from "../../pkg/dist/index-node.js";
import { findingsOf, smallTargets } from "./axe.mjs";
import { eventually, inAllSizes, opened as openPage } from "./browser.mjs";
import { fitted, holds, setBudget, upload } from "./conversation.mjs";
import { busy } from "./tasks.mjs";

const CALL = { id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } };
const MESSAGES = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "List the fi" },
      { type: "text", text: "les, please." },
    ],
  },
  { role: "assistant", content: "I look.", tool_calls: [CALL] },
  { role: "tool", tool_call_id: "c1", content: "a.ts\nb.ts\n" },
  { role: "assistant", content: "Two files: a.ts and b.ts." },
  { role: "user", content: "Thanks. Which is larger?" },
];
const COUNTED = countMessages(MESSAGES);
const TEXTS = ["Be brief.", "List the files, please.", "I look.", "bash", CALL.function.arguments, "a.ts\nb.ts\n"];
TEXTS.push("Two files: a.ts and b.ts.", "Thanks. Which is larger?");
const IDS = TEXTS.flatMap((text) => [...encode(text)]);

const DRAWN = "#tokens-view[data-tokens] .token";
let page, complaints, close;

before(async () => {
  ({ page, complaints, close } = await openPage("#example=marshmallow", {
    ready: "#conversation:not([data-estimate]) [role=option]",
    viewport: { width: 1280, height: 900 },
  }));
  page.setDefaultTimeout(20_000);
});
after(() => close?.());
beforeEach(() => (complaints.length = 0));

const says = (id, words) =>
  page.waitForFunction(([id, words]) => document.getElementById(id)?.textContent.includes(words), [id, words]);
/** The id of the chosen token, as soon as it can be seen. */
const chosen = () => page.getAttribute("#tokens-list[aria-activedescendant]", "aria-activedescendant");
/** Waits until this number of tokens is drawn from here on. */
const draws = (tokens) => page.waitForSelector(`#tokens-view[data-tokens="${tokens}"] .token`);

test("every token of a request is drawn or named: texts as they are counted, and what frames them", async () => {
  await upload(page, "files.json", JSON.stringify(MESSAGES));
  await holds(page, MESSAGES.length);
  await setBudget(page, 1_000);
  await fitted(page, 1_000);
  await page.click("#view-tokens");
  await draws(IDS.length);
  await says("headline", `${COUNTED.total} tokens, ${COUNTED.total} of them sent.`);
  await says(
    "outcome",
    `${IDS.length} of those sent are the texts below; the other ${COUNTED.total - IDS.length} frame`,
  );
  await page.check("#ids");
  await eventually(async () => (await page.locator(".token small").allTextContents()).map(Number), IDS);
  await page.uncheck("#ids");
  await page.waitForFunction(
    (count) =>
      document.querySelectorAll(".head:not(.part)").length === count && !document.querySelector(".token small"),
    MESSAGES.length,
  );
  const heads = () => page.locator(".head:not(.part)").allTextContents();
  await eventually(
    async () => (await heads()).map((head) => head.replace(/, \d+ of them around its texts$/, "")),
    MESSAGES.map(({ role }, at) => `${at + 1}. ${role} ${COUNTED.perMessage[at].tokens} tokens`),
  );
  assert.equal(await page.locator(".token.over").count(), 0);
  assert.deepEqual(complaints, []);
});

test("a smaller budget dims the tokens of what goes, and a switch leaves them out", async () => {
  await setBudget(page, 50);
  await page.waitForSelector(".token.over");
  await eventually(() => page.locator(".token").count(), IDS.length);
  assert.match(await page.textContent("#headline"), new RegExp(`^${COUNTED.total} tokens, (\\d+) of them sent\\.$`));
  const gone = await page.locator(".token.over").count();
  assert.match((await page.locator(".head:not(.part)").allTextContents()).join(), /\d\. \w+ gone, \d+ tokens/);
  await page.check("#sent-only");
  await draws(IDS.length - gone);
  assert.equal(await page.locator(".token.over").count(), 0);
  await page.uncheck("#sent-only");
  await draws(IDS.length);
});

test("a budget that is too small is refused with the one that is needed", async () => {
  await setBudget(page, 5);
  await page.waitForSelector("#mend");
  await page.click("#mend");
  await page.waitForSelector("#alert", { state: "detached" });
  await says("headline", "of them sent");
});

test("arrows go from message to message, and the chosen token is shown with its message", async () => {
  await page.focus("#tokens-list");
  await page.keyboard.press("Control+Home");
  await says("chosen", "message 1, system");
  await page.keyboard.press("ArrowDown");
  await says("chosen", "message 2, user");
  for (let at = 0; at < 3; at++) await page.keyboard.press("ArrowDown");
  await says("chosen", "message 4, tool, result");
  await page.keyboard.press("ArrowUp");
  await says("chosen", "message 3, assistant, call");
  await page.keyboard.press("Control+End");
  await says("chosen", "message 6, user");
  await page.keyboard.press("ArrowDown");
  await says("chosen", "message 6, user");
});

test("another encoding counts the conversation anew", async () => {
  const { total } = countMessages(MESSAGES, { encoding: "cl100k_base" });
  await page.selectOption("#encoding", "cl100k_base");
  await page.waitForSelector('#tokens-view[data-encoding="cl100k_base"]');
  await says("headline", `${total} tokens`);
  await page.selectOption("#encoding", "o200k_base");
  await page.waitForSelector('#tokens-view[data-encoding="o200k_base"]');
});

test("from a message to its tokens in 990 messages, and again after a reload", async () => {
  const [base] = page.url().split("#");
  await page.goto("about:blank");
  await page.goto(`${base}#example=pi`);
  await holds(page, 990);
  await fitted(page, 64_000);
  await page.focus("#messages");
  await page.keyboard.press("End");
  await says("pane", "990.");
  const walk = async () => {
    await page.click("#its-tokens");
    await says("chosen", "message 990");
    await says("headline", "402,554 tokens, 63,964 of them sent.");
    for (let at = 1; at <= 15; at++)
      await page.evaluate((share) => {
        const slider = document.getElementById("slider");
        slider.value = String(Math.round(Number(slider.max) * share));
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      }, at / 15);
    await page.waitForFunction(() =>
      /, [34]\d\d,\d{3} of them sent/.test(document.getElementById("headline").textContent),
    );
    await page.focus("#tokens-list");
    await page.keyboard.press("Control+Home");
    for (let at = 0; at < 10; at++) await page.keyboard.press("PageDown");
  };
  await busy(page, "the tokens of 990 messages are walked and their budget is dragged", walk);
  assert.ok((await page.locator(".token").count()) < 4_000, "only what can be seen is in the document");
  await page.fill("#message", "500");
  await page.press("#message", "Enter");
  await says("chosen", "message 500");
  // The list scrolls in a frame of its own, after the message is said.
  await page.waitForFunction(() => {
    const head = [...document.querySelectorAll(".head")].find(({ textContent }) => /^500\./.test(textContent));
    const list = document.getElementById("tokens-list").getBoundingClientRect();
    const { top } = head?.getBoundingClientRect() ?? {};
    return top >= list.top - 1 && top < list.bottom;
  });
  await page.waitForURL(/view=tokens.*tokens\.message=500/);
  const token = await chosen();
  await page.reload();
  await says("chosen", "message 500");
  assert.equal(await chosen(), token);
  assert.deepEqual(complaints, []);
});

test("a text that is opened meanwhile is shown, whatever is still counted", async () => {
  await page.evaluate(() => {
    const slider = document.getElementById("slider");
    slider.value = "100000";
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.selectOption("#example", "text");
  await page.waitForFunction(() => document.getElementById("example").value === "text");
  await page.waitForSelector("#edit-title");
  await says("headline", "tokens.");
  await page.waitForTimeout(1_000);
  assert.equal(await page.locator(".head").count(), 0);
  assert.ok((await page.locator(".token").count()) > 100);
});

test("axe finds nothing, and nothing sticks out, in both themes, wide and narrow", async () => {
  await page.evaluate(() => (location.hash = "#view=tokens&example=airline&budget=2000&tokens.message=4"));
  await page.waitForSelector(".head");
  await page.waitForSelector(".token.over");
  await inAllSizes(page, async (where) => {
    await page.waitForSelector(DRAWN);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, where);
    assert.deepEqual(await findingsOf(page), [], where);
    assert.deepEqual(await smallTargets(page), [], where);
  });
  assert.deepEqual(complaints, []);
});
