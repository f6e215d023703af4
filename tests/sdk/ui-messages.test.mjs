/** UI messages are counted and converted as the messages that the AI SDK makes of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compact, convert, countMessages, openConversation, prune, validate } from "espalier";

const SDKS = { 6: await import("ai6"), 7: await import("ai") };
const how = { model: "gpt-4o", format: "ai-sdk" };
const START = { type: "step-start" };
const words = (text) => ({ type: "text", text });
const tool = (toolCallId, fields = {}) => ({
  type: "tool-get",
  toolCallId,
  state: "output-available",
  input: { path: `${toolCallId}.ts` },
  output: { ok: toolCallId },
  ...fields,
});
const user = (...parts) => ({ id: "u", role: "user", parts: parts.length > 0 ? parts : [words("go")] });
const said = (...parts) => [user(), { id: "a", role: "assistant", parts }, user(words("ok"))];
const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC";
const text = `data:text/plain;base64,${Buffer.from("hello world ".repeat(200)).toString("base64")}`;
const approval = { id: "p" };

/** Conversations of UI messages; those of which only version 7 knows a part have its number. */
const SHAPES = {
  text: said(words("one"), words("two")),
  "one step, two calls": said(START, tool("c1"), tool("c2"), START, words("done")),
  "two steps": said(START, tool("c1"), START, tool("c2"), START, words("done")),
  "two steps with words": said(
    START,
    words("first"),
    tool("c1"),
    START,
    words("second"),
    tool("c2"),
    START,
    words("done"),
  ),
  "words behind a call": said(START, tool("c1"), words("between"), tool("c2"), words("done")),
  "steps without calls": said(START, words("one"), START, words("two"), START, START, words("three")),
  "a call without a result before a step": said(START, tool("c1", { state: "input-available" }), START, words("so")),
  "no step-start": said(words("hm"), tool("c1")),
  dynamic: said(START, { ...tool("c1"), type: "dynamic-tool", toolName: "read", output: "a text" }),
  failed: said(START, tool("c1", { state: "output-error", errorText: "it failed" }), START, words("sorry")),
  "failed before it was read": said(
    tool("c1", { state: "output-error", errorText: "no", input: undefined, rawInput: { a: 1 } }),
  ),
  "an answer that grows": said(tool("c1", { preliminary: true, output: "half" })),
  streaming: said(START, tool("c1", { state: "input-streaming" })),
  "streaming behind words": said(START, words("a"), tool("c1", { state: "input-streaming" }), START, tool("c2")),
  waiting: [user(), { id: "a", role: "assistant", parts: [START, tool("c1", { state: "input-available" })] }],
  asked: [
    user(),
    { id: "a", role: "assistant", parts: [START, tool("c1", { state: "approval-requested", approval })] },
  ],
  approved: said(START, tool("c1", { state: "approval-responded", approval: { ...approval, approved: true } })),
  "approved and done": said(START, tool("c1", { approval: { ...approval, approved: true } }), START, words("done")),
  denied: said(
    START,
    tool("c1", { state: "output-denied", approval: { ...approval, approved: false, reason: "no way" } }),
  ),
  "denied without a reason": said(
    START,
    tool("c1", { state: "output-denied", approval: { ...approval, approved: false } }),
  ),
  "denied just now 7": [
    user(),
    {
      id: "a",
      role: "assistant",
      parts: [
        START,
        tool("c1", { state: "approval-responded", approval: { ...approval, approved: false, reason: "no" } }),
      ],
    },
  ],
  "words around an approval": said(
    words("one {x:1} "),
    tool("c1", { approval: { ...approval, approved: true } }),
    words(" {x:1} two"),
  ),
  "executed by the provider": said(START, tool("c1", { providerExecuted: true }), words("found"), START, words("done")),
  "executed by the provider, failed": said(
    START,
    tool("c1", { providerExecuted: true, state: "output-error", errorText: "it failed" }),
    words("done"),
  ),
  "executed by the provider, approved": said(
    START,
    tool("c1", { providerExecuted: true, approval: { ...approval, approved: true } }),
    START,
    words("done"),
  ),
  "both kinds of calls": said(START, tool("c1", { providerExecuted: true }), tool("c2"), START, words("done")),
  "texts and nothing": said(
    START,
    tool("c1", { output: undefined }),
    tool("c2", { output: "" }),
    tool("c3", { output: [1, null] }),
  ),
  files: [
    user(words("see"), { type: "file", mediaType: "image/png", url: png }),
    { id: "a", role: "assistant", parts: [{ type: "file", mediaType: "image/png", url: png }, words("a dot")] },
    user({ type: "file", mediaType: "text/plain", filename: "a.txt", url: text }),
    user({ type: "file", mediaType: "image/png", url: "https://example.com/a.png" }),
  ],
  thoughts: said(
    START,
    { type: "reasoning", text: "thinking about it", state: "done" },
    tool("c1"),
    START,
    words("yes"),
  ),
  "sources and data": said(
    words("a"),
    { type: "source-url", sourceId: "1", url: "http://x.y", title: "t" },
    { type: "source-document", sourceId: "2", mediaType: "application/pdf", title: "t" },
    { type: "data-weather", data: { big: "x".repeat(1_000) } },
    words("b"),
  ),
  "only data": said(START, { type: "data-weather", data: { a: 1 } }),
  "data of a user": [user({ type: "data-file", data: "x".repeat(400) }, words("a"), { type: "reasoning", text: "hm" })],
  nothing: said(),
  "only steps": said(START, START),
  "a user without parts": [
    { id: "u", role: "user", parts: [] },
    { id: "a", role: "assistant", parts: [words("what?")] },
  ],
  "a text that is empty": [user(words("")), ...said(words(""))],
  system: [{ id: "s", role: "system", parts: [words("Be "), words("brief."), { type: "data-x", data: 1 }] }, user()],
  "unknown parts": [user({ type: "weird", text: "x" }, words("a")), ...said({ type: "weird", text: "x" }, words("b"))],
};

/** Returns random conversations, the same for the same seed. */
function* conversations(seed, count) {
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const pick = (list) => list[random(list.length)];
  const some = (max) => Array.from({ length: 1 + random(max) }, () => pick(["alpha", "beta\n", "{x:1}"])).join(" ");
  let calls = 0;
  const anyTool = () => {
    const state = pick(["output-available", "output-available", "output-error", "output-denied", "input-streaming"]);
    const decided = { ...approval, approved: state !== "output-denied" };
    return tool(`c${(calls += 1)}`, {
      state,
      input: { path: some(6) },
      output: pick([some(200), { ok: some(60) }, undefined]),
      errorText: some(20),
      ...((state === "output-denied" || (state !== "input-streaming" && random(5) === 0)) && { approval: decided }),
      ...(state !== "output-denied" && random(5) === 0 && { providerExecuted: true }),
    });
  };
  const part = () =>
    pick([anyTool, anyTool, () => START, () => words(some(60)), () => ({ type: "reasoning", text: some(40) })])();
  for (let number = 0; number < count; number += 1) {
    const turns = Array.from({ length: 1 + random(5) }, () => said(...Array.from({ length: random(14) }, part)));
    yield turns.flat();
  }
}

for (const [version, { convertToModelMessages }] of Object.entries(SDKS)) {
  for (const [name, messages] of Object.entries(SHAPES)) {
    if (/ 7$/.test(name) && version !== "7") continue;
    test(`AI SDK ${version}: ${name}`, async () => {
      const sent = await convertToModelMessages(messages);
      assert.equal(countMessages(messages, how).total, countMessages(sent, how).total, JSON.stringify(sent));
      assert.deepEqual(
        convert(messages, "openai-chat").messages,
        convert(sent, "openai-chat", { from: "ai-sdk" }).messages,
      );
    });
  }

  test(`AI SDK ${version}: what is pruned is sent within its budget`, async () => {
    const messages = Array.from({ length: 10 }, (_, turn) => {
      const steps = Array.from({ length: 20 }, (_, step) => [START, tool(`c${turn}_${step}`)]).flat();
      return [
        user(words(`Question ${turn}`)),
        { id: `a${turn}`, role: "assistant", parts: [...steps, START, words("done")] },
      ];
    }).flat();
    messages.push(user(words("And now?")));
    for (const budget of [6_000, 4_000, 2_000, 500]) {
      const { messages: left, report } = prune(messages, { budget, ...how });
      const sent = await convertToModelMessages(left);
      assert.equal(countMessages(sent, how).total, report.after.total);
      assert.ok(report.after.total <= budget);
      const conversation = await openConversation({ format: "ai-sdk", model: "gpt-4o", messages: left });
      assert.equal(conversation.usage().used, report.after.total);
      await conversation.dispose();
      const chat = convert(left, "openai-chat").messages;
      assert.deepEqual(validate(chat, "openai-chat"), []);
      assert.ok(countMessages(chat, { model: "gpt-4o" }).total <= budget, "as Chat Completions");
    }
  });

  test(`AI SDK ${version}: random conversations, whole, pruned and compacted`, async () => {
    for (const messages of conversations(Number(version), 40)) {
      const count = async (list) => countMessages(await convertToModelMessages(list), how).total;
      const { total } = countMessages(messages, how);
      assert.equal(total, await count(messages));
      const budget = Math.max(200, Math.floor(total / 2));
      for (const cut of [prune, compact]) {
        const { messages: left, report } = await cut(messages, { budget, ...how });
        assert.equal(report.after.total, await count(left));
        assert.ok(report.after.total <= budget);
      }
    }
  });
}
