/** LangChain's messages in their three forms, Langfuse's traces, ChatGPT's export. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, fixture, lines, outline, sessions, unpaired, usageRows } from "./sessions.ts";

const { readSession } = sessions;

test("LangChain: plain, stored and serialised messages, with calls in three places", () => {
  const text = fixture("langchain.json");
  const session = readSession(text);
  check(session, { layout: "langchain", format: "openai-chat", id: "th-1", model: "claude-sonnet-4-5" });
  assert.deepEqual(outline(session), [
    "system text",
    "user text image",
    "assistant text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant call:c3",
  ]);
  assert.deepEqual(unpaired(session), ["call c3"]);
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["1 thinking", "1 remove message"],
  );
  assert.deepEqual(usageRows(session), [[2, 50, 900, 50, 60]]);
  const {
    values: { messages },
  } = JSON.parse(text) as { values: { messages: unknown[] } };
  for (const file of [JSON.stringify(messages), lines(...messages)])
    assert.deepEqual(readSession(file).messages, session.messages);
  assert.deepEqual(
    session.entries.map(({ places }) => places[0]),
    [0, 1, 2, 3, 4, 5],
  );
});

test("LangChain: messages that were made of standard blocks, stored with others", () => {
  const blocks = [
    { type: "text", text: "I read." },
    { type: "tool_call", id: "c1", name: "read", args: {} },
  ];
  const calls = [{ type: "tool_call", id: "c1", name: "read", args: {} }];
  const session = readSession(
    JSON.stringify([
      { type: "human", data: { content: "Read." } },
      { type: "ai", data: { content_blocks: blocks, tool_calls: calls } },
      { type: "tool", data: { content_blocks: [{ type: "text", text: "a" }], tool_call_id: "c1" } },
    ]),
  );
  assert.deepEqual(outline(session), ["user text", "assistant text call:c1", "tool result:c1"]);
  assert.deepEqual(session.skipped, []);
});

test("requests, lists of API messages and settings are no sessions", () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "n", input: {} }] },
  ];
  const others = [
    messages,
    { model: "m", messages },
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    { input: [{ type: "message", role: "user", content: "Hi" }] },
    { history: messages, info: {} },
    { mapping: {} },
    { action: "run", args: {}, id: 1 },
    { type: "ai" },
    { observations: [], data: [] },
  ];
  for (const other of others)
    assert.throws(() => readSession(JSON.stringify(other)), { code: "unknown_session" }, JSON.stringify(other));
  assert.throws(() => readSession(lines(...messages)), { code: "unknown_session" });
  assert.throws(
    () =>
      readSession(
        JSON.stringify([
          { role: "user", content: "Hi" },
          { role: "assistant", type: "message", content: [] },
        ]),
      ),
    { code: "unknown_session" },
  );
});

test("Langfuse: the longest generation, JSON within JSON, definitions of tools among the messages", () => {
  const session = readSession(fixture("langfuse.json"));
  check(session, { layout: "langfuse", format: "openai-chat", id: "s-1", title: "shop", model: "gpt-4o" });
  assert.deepEqual(outline(session), [
    "system text",
    "user text",
    "assistant call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant text",
  ]);
  assert.deepEqual([unpaired(session), session.tools?.length], [[], 1]);
  assert.deepEqual(
    session.usage.map(({ answer, usage: { promptTotal, output } }) => [answer, promptTotal, output]),
    [[5, 1000, 12]],
  );
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["1 shorter generation", "1 other observation"],
  );
});

test("Langfuse: observations of two traces are two conversations, in their own formats", () => {
  const one = (traceId: string, content: unknown) => ({
    id: traceId,
    traceId,
    type: "GENERATION",
    startTime: "2026-01-05T10:00:00Z",
    input: { messages: [{ role: "user", content }], system: "S" },
    output: "Hi",
  });
  const both = lines(one("a", "one"), one("b", [{ type: "tool_result", tool_use_id: "t", content: "x" }]));
  assert.throws(() => readSession(both), {
    code: "several_sessions",
    message: /1 \(a, 2 messages\), 2 \(b, 2 messages\)/,
  });
  assert.deepEqual(
    [1, 2].map((conversation) => readSession(both, { conversation }).format),
    ["openai-chat", "anthropic"],
  );
});

test("ChatGPT: the path to the current node, calls of tools, branches", () => {
  const text = fixture("chatgpt.json");
  assert.throws(() => readSession(text), {
    code: "several_sessions",
    message: /1 \(Totals, 5 messages\), 2 \(Greeting, 2 messages\)/,
  });
  const session = readSession(text, { conversation: 1 });
  check(session, { layout: "chatgpt", format: "openai-chat", id: "conv-1", title: "Totals", model: "gpt-5" });
  assert.deepEqual(outline(session), [
    "user text",
    "user text",
    "assistant call:t0",
    "tool result:t0",
    "assistant text",
  ]);
  assert.deepEqual(
    session.entries.map(({ injected }) => injected === true),
    [true, false, false, false, false],
  );
  assert.deepEqual(session.messages[3], {
    role: "tool",
    tool_call_id: "t0",
    name: "python",
    content: "0.30000000000000004\n[image_asset_pointer]",
  });
  assert.deepEqual(
    session.sideChains.map(({ id, kind, messages }) => [id, kind, messages.length]),
    [["branch:old", "branch", 2]],
  );
  const [first] = JSON.parse(text) as object[];
  assert.equal(readSession(JSON.stringify(first)).messages.length, 5);
  assert.equal(readSession(text, { conversation: 2 }).messages.length, 2);
});

test("hostile values do not break them", () => {
  const ring = {
    mapping: {
      a: {
        parent: "b",
        children: ["b", 7],
        message: { author: { role: "user" }, content: { parts: ["x", 7, null] } },
      },
      b: { parent: "a", message: 7 },
    },
    current_node: "b",
  };
  assert.equal(readSession(JSON.stringify(ring)).messages.length, 1);
  const odd = [
    { type: "ai", content: 7, tool_calls: "x", usage_metadata: 7 },
    { type: "tool", content: { a: 1 } },
    { lc: 1, kwargs: {}, id: 7 },
  ];
  assert.equal(readSession(JSON.stringify(odd)).messages.length, 2);
  const trace = {
    observations: [
      { type: "generation", input: '{"a":', output: [7] },
      { type: "GENERATION", input: [7, { role: 7 }], output: {} },
    ],
  };
  assert.ok(readSession(JSON.stringify(trace)).messages.length > 0);
});
