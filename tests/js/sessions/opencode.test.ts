/**
 * opencode's exports: calls with their results in one part, several requests in one message, compactions with a tail.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";

const { readSession } = sessions;
const file = fixture("opencode.json");
const withInfo = (more: object, end?: number) => {
  const { info, messages } = JSON.parse(file) as { info: object; messages: object[] };
  return JSON.stringify({ info: { ...info, ...more }, messages: messages.slice(0, end) });
};

test("each step is a request of its own, and its results follow it", () => {
  const session = readSession(file);
  check(session, {
    layout: "opencode",
    format: "anthropic",
    id: "ses_1",
    title: "Rounding",
    cwd: "/srv/shop",
    version: "1.2.0",
    model: "claude-sonnet-4-5",
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text text",
    "assistant reasoning call:t1 call:t2",
    "user result:t1 result:t2",
    "assistant text call:t3",
    "user result:t3",
    "assistant text",
    "user text",
    "assistant text call:t4",
    "user text",
    "assistant text",
    "user text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), ["call t4"]);
  assert.deepEqual(
    session.entries.map(({ places, injected }) => `${places.join()}${injected ? "!" : ""}`).join(" "),
    "0 1 1 1 1 1 3 4 7! 8 9",
  );
  assert.deepEqual((session.history[2] as { content: unknown[] }).content, [
    { type: "tool_result", tool_use_id: "t1", content: "[Old tool result content cleared]" },
    { type: "tool_result", tool_use_id: "t2", content: "No such file.", is_error: true },
  ]);
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["1 file", "1 cleared output", "1 patch", "1 empty answer", "1 ignored text"],
  );
});

test("a part that began a sub-agent is a text before its call, which the user did not type", () => {
  const task = { type: "subtask", id: "prt_9", prompt: "Look.", description: "Look", agent: "explore" };
  const state = { status: "completed", input: {}, output: "Two callers." };
  const session = readSession(
    JSON.stringify({
      info: { id: "ses_9" },
      messages: [
        { info: { id: "msg_1", role: "user" }, parts: [task] },
        { info: { id: "msg_2", role: "assistant" }, parts: [{ type: "tool", callID: "t9", tool: "task", state }] },
      ],
    }),
  );
  assert.deepEqual(outline(session), ["user text", "assistant call:t9", "user result:t9"]);
  assert.deepEqual([session.turns, session.skipped], [0, []]);
});

test("output contains the reasoning, in whichever way the version counted it", () => {
  const cache = { read: 900, write: 0 };
  for (const [tokens, expected] of [
    [{ total: 1_090, input: 100, output: 20, reasoning: 70, cache }, 90],
    [{ total: 1_090, input: 100, output: 90, reasoning: 70, cache }, 90],
    [{ input: 100, output: 90, reasoning: 70, cache }, 90],
    [{ input: 100, output: 20, reasoning: 70, cache }, 90],
  ] as const) {
    const { info, messages } = JSON.parse(file) as { info: object; messages: { info: { id: string } }[] };
    const answer = {
      info: { ...messages[1]!.info, tokens },
      parts: [{ type: "step-start" }, { type: "text", text: "Yes." }, { type: "step-finish", tokens }],
    };
    const { usage } = readSession(JSON.stringify({ info, messages: [messages[0], answer] })).usage[0]!;
    assert.deepEqual([usage.promptTotal, usage.output, usage.reasoning], [1_000, expected, 70]);
  }
});

test("a compaction keeps its tail", () => {
  const { compactions, messages, history } = readSession(file);
  assert.deepEqual(
    compactions.map(({ before, place, tokensBefore, summary }) => [before, place, tokensBefore, summary]),
    [[8, 6, 2037, "The cart rounds twice; the fix has begun."]],
  );
  assert.deepEqual(outline({ messages: messages.slice(0, 2), format: "anthropic" }), ["user text", "assistant text"]);
  assert.deepEqual(messages.slice(2), history.slice(6));
});

test("usage is that of each step, and of the message where no step has one", () => {
  const usage = (text: string) =>
    readSession(text).usage.map(({ answer, usage: { promptTotal, output } }) => [answer, promptTotal, output]);
  assert.deepEqual(usage(file), [
    [1, 903, 60],
    [3, 1025, 12],
    [5, 1036, 4],
    [7, 2037, 9],
    [9, 317, 2],
  ]);
});

test("what was taken back is a branch", () => {
  const { sideChains, history } = readSession(withInfo({ revert: { messageID: "msg_4" } }));
  assert.equal(history.length, 6);
  assert.deepEqual(
    sideChains.map(({ id, messages }) => [id, messages.length]),
    [["branch:msg_4", 5]],
  );
});

test("the list alone is read, and a compaction that failed changes nothing", () => {
  const { messages } = JSON.parse(file) as { messages: { info: Record<string, unknown> }[] };
  messages[6]!.info["error"] = { name: "APIError" };
  const session = readSession(JSON.stringify(messages));
  assert.deepEqual([session.compactions.length, session.messages.length], [0, 11]);
});

test("events of a run are its answers", () => {
  const event = (type: string, part: object) => ({ type, timestamp: 1, sessionID: "ses_1", part });
  const tool = (output: string) =>
    event("tool_use", { type: "tool", tool: "read", state: { status: "completed", input: {}, output } });
  const session = readSession(
    lines(
      event("step_start", { type: "step-start" }),
      tool("one"),
      tool("two"),
      event("step_finish", { type: "step-finish", tokens: { input: 10, cache: { read: 90 } } }),
      event("step_start", { type: "step-start" }),
      event("text", { type: "text", text: "Done." }),
      { type: "error", error: {} },
    ),
  );
  assert.deepEqual(outline(session), [
    "assistant call:call-2 call:call-3",
    "user result:call-2 result:call-3",
    "assistant text",
  ]);
  assert.deepEqual([session.id, session.usage[0]?.usage.promptTotal, unpaired(session)], ["ses_1", 100, []]);
});

test("a long file of one line is one value, with and without a line end", () => {
  const { messages } = JSON.parse(file) as { messages: unknown[] };
  const long = JSON.stringify({ info: { note: "x".repeat(9_000_000) }, messages });
  for (const text of [long, `${long}\n`]) assert.equal(readSession(text).history.length, 11);
});

test("hostile values do not break it; pieces of the storage folder are named", () => {
  const hostile = {
    info: { id: 7 },
    messages: [
      7,
      null,
      { info: { role: "user" }, parts: [3, { type: 7 }] },
      { info: { role: "assistant" }, parts: [{ type: "tool" }] },
    ],
  };
  assert.deepEqual(outline(readSession(JSON.stringify(hostile))), ["assistant call:"]);
  const piece = JSON.stringify({ id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1 } }, undefined, 1);
  assert.throws(() => readSession(piece), {
    code: "no_conversation",
    message: /one message without its parts .* opencode export/,
  });
});
