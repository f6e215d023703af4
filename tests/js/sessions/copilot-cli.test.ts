/**
 * Copilot CLI's events: sub-agents, results that come twice, rewinds, compactions that fail and that run beside the
 * conversation.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { openSession, readSession } = sessions;
const log = fixture("copilot-cli.jsonl");
const texts = (messages: readonly unknown[]) => (messages as { content: string }[]).map(({ content }) => content);
const event = (type: string, data: unknown, id?: string) => ({
  type,
  data,
  ...(id !== undefined && { id }),
  timestamp: "2026-06-07T10:00:00.000Z",
});

test("events open as a conversation, without those of sub-agents", () => {
  const session = readSession(log);
  check(session, {
    layout: "copilot-cli",
    tool: "Copilot CLI",
    format: "openai-chat",
    id: "cp-1",
    cwd: "/srv/shop",
    version: "1.0.70",
    model: "claude-sonnet-4.6",
    problems: [{ line: 35, message: "the last line is incomplete, as in a file that is still being written" }],
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "system text",
    "user text",
    "assistant text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant text",
    "user text",
    "user text",
    "assistant call:c3",
    "tool result:c3",
    "assistant text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  assert.deepEqual(texts(session.history).slice(0, 5), [
    "You are Copilot, again.",
    "<current_datetime>now</current_datetime>\n\nWhy do the totals differ?",
    "I look.",
    "cart.ts",
    "Two callers.",
  ]);
  assert.equal(texts(session.history)[9], "no such file");
  assert.deepEqual(
    session.entries.flatMap(({ injected }, at) => (injected ? [at] : [])),
    [6],
  );
  assert.deepEqual(
    (session.history[2] as { tool_calls: { function: unknown }[] }).tool_calls.map((call) => call.function),
    [
      { name: "bash", arguments: '{"command":"ls"}' },
      { name: "task", arguments: '{"prompt":"Find callers."}' },
    ],
  );
});

test("pictures that the model received are in the messages, of users and of results", () => {
  const png = "iVBORw0KGgo=";
  const asset = (assetId: string, mimeType: string) =>
    event("session.binary_asset", { assetId, mimeType, type: "image", data: png });
  const session = readSession(
    lines(
      event("session.start", { sessionId: "cp-2" }),
      asset("sha256:a", "image/png"),
      asset("sha256:b", "application/pdf"),
      event("user.message", {
        content: "What is this?",
        attachments: [
          { type: "file", path: "/a.png", assetId: "sha256:a" },
          { type: "file", path: "/b.pdf", assetId: "sha256:b" },
          { type: "file", path: "/c.ts", taggedFilesEntry: "* /c.ts (3 lines)" },
        ],
      }),
      event("assistant.message", { content: "", toolRequests: [{ toolCallId: "c1", name: "view", arguments: {} }] }),
      event("tool.execution_complete", {
        toolCallId: "c1",
        success: true,
        result: { content: "Viewed.", binaryResultsForLlm: [{ type: "image", mimeType: "image/jpeg", data: "/9j/" }] },
      }),
    ),
  );
  const picture = (url: string) => ({ type: "image_url", image_url: { url } });
  assert.deepEqual(
    session.messages.map((message) => (message as { content: unknown }).content),
    [
      [{ type: "text", text: "What is this?" }, picture(`data:image/png;base64,${png}`)],
      null,
      [{ type: "text", text: "Viewed." }, picture("data:image/jpeg;base64,/9j/")],
    ],
  );
  assert.equal(session.skipped.find(({ kind }) => kind === "session.binary_asset")?.count, 1);
});

test("sub-agents and what was taken back are side chains", () => {
  const { sideChains } = readSession(log);
  assert.deepEqual(
    sideChains.map(({ id, kind, call, title, messages }) => [id, kind, call, title, texts(messages)]),
    [
      ["c2", "subagent", "c2", "Explore", ["Find callers.", null, "two", "Two callers."]],
      ["rewind:22", "branch", undefined, undefined, ["Rewrite all of it.", "Rewriting."]],
    ],
  );
});

test("a compaction keeps what was said while it ran, and one that failed changes nothing", () => {
  const { compactions, messages } = readSession(log);
  assert.deepEqual(
    compactions.map(({ before, summary, tokensBefore, place }) => [before, summary, tokensBefore, place]),
    [[10, "The cart rounds twice.", 1100, 30]],
  );
  assert.deepEqual(texts(messages), [
    "You are Copilot, again.",
    "The cart rounds twice.",
    null,
    "no such file",
    "Done.",
  ]);
});

test("usage is that of a request; sums over several are none", () => {
  const { usage, skipped } = readSession(log);
  assert.deepEqual(
    usage.map(({ answer, usage: { input, cacheRead, cacheWrite, output } }) => [
      answer,
      input,
      cacheRead,
      cacheWrite,
      output,
    ]),
    [[2, 200, 600, 100, 40]],
  );
  assert.ok(skipped.some(({ kind }) => kind === "session.shutdown"));
  const one = readSession(
    lines(
      event("user.message", { content: "Hi" }),
      event("assistant.message", { content: "Hello" }),
      event("session.shutdown", {
        currentModel: "m",
        modelMetrics: {
          m: { requests: { count: 1 }, usage: { inputTokens: 100, cacheReadTokens: 40, outputTokens: 2 } },
        },
      }),
    ),
  );
  assert.equal(one.model, "m");
  assert.deepEqual(
    one.usage.map(({ answer, usage: { promptTotal }, model }) => [answer, promptTotal, model]),
    [[1, 100, "m"]],
  );
});

test("the id identifies agents, too", () => {
  const { messages, sideChains } = readSession(
    lines(
      event("assistant.message", { content: "", toolRequests: [{ toolCallId: "c1", name: "task", arguments: {} }] }),
      event("subagent.started", { agentId: "a7", parentToolCallId: "c1", agentName: "Kant" }),
      { ...event("assistant.message", { content: "from below" }), agentId: "a7" },
      event("tool.execution_complete", { toolCallId: "c1", success: true, result: { content: "done" } }),
    ),
  );
  assert.deepEqual(
    [texts(messages), sideChains.map(({ id, title }) => [id, title])],
    [[null, "done"], [["c1", "Kant"]]],
  );
});

test("a cleared context begins anew", () => {
  const { messages, history } = readSession(
    lines(
      event("system.message", { content: "You are Copilot." }),
      event("user.message", { content: "one" }),
      event("session.context_cleared", { messagesCleared: 1 }),
      event("user.message", { content: "two" }),
      event("system.message", { content: "You are new." }),
    ),
  );
  assert.deepEqual([texts(messages), history.length], [["You are new.", "two"], 3]);
});

test("without history memory keeps what is live", async () => {
  const { history, messages } = await openSession(new Blob([log]).stream(), { history: false });
  assert.deepEqual(messages, readSession(log).messages);
  assert.equal(history.length, 1);
});

test("fields of any type are survived", () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant({ toString: 1 }), fc.constantFrom("c1", "e1"));
  const data = fc.dictionary(
    fc.constantFrom(
      "content",
      "toolRequests",
      "toolCallId",
      "result",
      "parentToolCallId",
      "summaryContent",
      "upToEventId",
      "modelMetrics",
      "messageId",
    ),
    value,
  );
  const types = [
    "user.message",
    "assistant.message",
    "tool.execution_complete",
    "session.compaction_start",
    "session.compaction_complete",
    "session.snapshot_rewind",
    "system.message",
    "session.shutdown",
    "session.context_cleared",
  ];
  const record = fc.record({
    type: fc.constantFrom(...types),
    data: fc.oneof(data, value),
    id: fc.constantFrom("e1", "e2", 3),
    agentId: fc.constantFrom(undefined, "a", 4),
  });
  fc.assert(
    fc.property(fc.array(record), (records) => {
      try {
        readSession(lines(event("user.message", { content: "Hi" }, "e1"), ...records));
      } catch (error) {
        assert.equal((error as { code: string }).code, "no_conversation");
      }
    }),
    { numRuns: runs(300) },
  );
});
