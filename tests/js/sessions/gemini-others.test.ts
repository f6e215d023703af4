/** What gemini-cli prints as a stream, its checkpoints, and the lines of Qwen Code, which came of it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { openSession, readSession } = sessions;
const stream = fixture("gemini-stream.jsonl");
const qwen = fixture("qwen-code.jsonl");
const texts = (messages: readonly unknown[]) =>
  (messages as { parts: { text?: string }[] }[]).flatMap(({ parts }) => parts.flatMap(({ text }) => text ?? []));

test("a stream opens as turns: pieces are joined, calls are paired by id", () => {
  const session = readSession(stream);
  check(session, {
    layout: "gemini-stream",
    tool: "gemini-cli",
    format: "gemini",
    id: "st-1",
    model: "gemini-3-pro",
    problems: [],
    usage: [],
  });
  assert.deepEqual(outline(session), [
    "user text",
    "assistant text call:c1 call:c2",
    "user result:c1 result:c2",
    "assistant call:c3",
    "user result:c3",
    "assistant text",
  ]);
  assert.deepEqual(unpaired(session), []);
  assert.deepEqual(texts(session.messages), ["Why do the totals differ?", "I look at both.", "It rounds twice."]);
  assert.deepEqual(
    session.skipped.map(({ kind }) => kind),
    ["error", "result"],
  );
});

test("the sums of a stream are usage if it was one request", () => {
  const { usage } = readSession(
    lines(
      { type: "init", session_id: "s", model: "m" },
      { type: "message", role: "user", content: "Hi", timestamp: "2026-01-01" },
      { type: "message", role: "assistant", content: "Hello", delta: true, timestamp: "2026-01-01" },
      { type: "result", stats: { input_tokens: 100, output_tokens: 3, cached: 40 } },
    ),
  );
  assert.deepEqual(
    usage.map(({ answer, usage: { input, cacheRead, output } }) => [answer, input, cacheRead, output]),
    [[1, 60, 40, 3]],
  );
});

test("checkpoints open with their contents, also those that keep a copy for the screen", () => {
  const text = fixture("gemini-checkpoint.json");
  const session = readSession(text);
  check(session, { layout: "gemini-checkpoint", format: "gemini" });
  assert.deepEqual(session.messages, (JSON.parse(text) as { history: unknown[] }).history);
  assert.deepEqual(
    session.entries.map(({ injected }) => injected === true),
    [true, false, false, false, false, false],
  );
  const before = {
    history: [{ id: 1, type: "user", text: "Edit it." }],
    clientHistory: session.messages,
    toolCall: { name: "replace", args: {} },
    commitHash: "abc",
  };
  const other = readSession(JSON.stringify(before));
  check(other, { layout: "gemini-checkpoint" });
  assert.equal(other.messages.length, 6);
  assert.deepEqual(
    other.skipped.map(({ kind }) => kind),
    ["history", "toolCall"],
  );
});

test("plain requests of the Gemini API are no checkpoints", () => {
  const history = [{ role: "user", parts: [{ text: "Hi" }] }];
  for (const value of [
    history,
    { contents: history },
    { history, generationConfig: {} },
    { history: [], authType: "x" },
  ]) {
    assert.throws(() => readSession(JSON.stringify(value)), { code: "unknown_session" });
  }
});

test("Qwen Code: lines of one message, results of one turn, and texts sent meanwhile are joined", () => {
  const session = readSession(qwen);
  check(session, {
    layout: "qwen-code",
    tool: "Qwen Code",
    format: "gemini",
    id: "q-1",
    cwd: "/srv/shop",
    version: "0.21.0",
    title: "Totals",
    model: "qwen3-coder",
    window: 262_144,
    problems: [],
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text",
    "assistant reasoning call:c1 call:c2",
    "user result:c1 result:c2 text",
    "assistant text",
    "user text",
    "assistant text",
    "user text",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  assert.deepEqual(session.entries.map(({ places }) => places).slice(0, 3), [[1], [3, 4], [5, 6, 7]]);
  assert.deepEqual(
    session.entries.flatMap(({ injected }, at) => (injected ? [at] : [])),
    [6],
  );
  assert.deepEqual(
    session.usage.map(({ answer, usage: { input, cacheRead, output } }) => [answer, input, cacheRead, output]),
    [
      [1, 200, 700, 40],
      [3, 1000, 0, 9],
      [5, 1030, 0, 2],
      [8, 200, 0, 3],
    ],
  );
});

test("Qwen Code: what was taken back is a branch, and a compression replaces what was before", () => {
  const session = readSession(qwen);
  assert.deepEqual(
    session.sideChains.map(({ id, kind, messages }) => [id, kind, texts(messages)]),
    [["branch:11", "branch", ["Rewrite all of it.", "Rewriting."]]],
  );
  assert.deepEqual(
    session.compactions.map(({ before, place, summary, tokensBefore, tokensAfter }) => [
      before,
      place,
      summary,
      tokensBefore,
      tokensAfter,
    ]),
    [[6, 14, "<state_snapshot>Fixed.</state_snapshot>", 1032, 80]],
  );
  assert.deepEqual(texts(session.messages), [
    "<state_snapshot>Fixed.</state_snapshot>",
    "Got it.",
    "A task in the background ended.",
    "Now the tests.",
    "They pass.",
  ]);
});

test("Qwen Code: a rewind to before a compression undoes it; a lost line does not cut the chain", () => {
  const back = `${qwen}${JSON.stringify({ uuid: "20", parentUuid: "7", sessionId: "q-1", type: "user", message: { role: "user", parts: [{ text: "Back." }] } })}\n`;
  const session = readSession(back);
  assert.deepEqual(
    [session.compactions.length, texts(session.messages).at(-1), session.messages.length],
    [0, "Back.", 5],
  );
  const torn = readSession(
    qwen
      .split("\n")
      .map((line, at) => (at === 4 ? line.slice(0, 50) : line))
      .join("\n"),
  );
  assert.deepEqual([torn.problems.map(({ line }) => line), torn.history.length], [[5], 9]);
});

test("without history memory keeps what is live", async () => {
  const { history, messages } = await openSession(new Blob([qwen]).stream(), { history: false });
  assert.deepEqual(messages, readSession(qwen).messages);
  assert.equal(history.length, 3);
});

test("fields of any type are survived", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constant({ toString: 1 }),
    fc.constantFrom("user", "assistant", "tool_use", "a", "b"),
  );
  const record = fc.dictionary(
    fc.constantFrom(
      "uuid",
      "parentUuid",
      "type",
      "subtype",
      "message",
      "systemPayload",
      "usageMetadata",
      "tool_id",
      "content",
      "role",
      "output",
      "delta",
    ),
    value,
  );
  const line = fc.record({
    uuid: fc.constantFrom("a", "b", "c"),
    parentUuid: fc.constantFrom("a", "b", null),
    type: fc.constantFrom("user", "assistant", "system", "tool_use", "tool_result", "message"),
    subtype: fc.constantFrom("rewind", "x"),
    message: fc.record({ parts: fc.array(fc.constant({ text: "x" })) }),
    content: value,
    role: value,
  });
  for (const first of [
    { uuid: "a", type: "user", message: { parts: [{ text: "Hi" }] } },
    { type: "tool_use", tool_name: "f", parameters: {} },
  ]) {
    fc.assert(
      fc.property(fc.array(fc.oneof(record, line)), (records) => {
        try {
          readSession(lines(first, ...records));
        } catch (error) {
          assert.equal((error as { code: string }).code, "no_conversation");
        }
      }),
      { numRuns: runs(200) },
    );
  }
});

test("histories of prompts are named, and say where the conversations are", () => {
  const codex = lines(
    { session_id: "a", ts: 1757000000, text: "Fix it" },
    { session_id: "b", ts: 1757000001, text: "Now" },
  );
  const claude = lines({ display: "Fix it", pastedContents: {}, timestamp: 1757000000000, project: "/srv" });
  const gemini = JSON.stringify(
    [{ sessionId: "a", messageId: 0, type: "user", message: "Fix it", timestamp: "2026-01-01T00:00:00.000Z" }],
    undefined,
    2,
  );
  for (const [text, where] of [
    [codex, /~\/\.codex\/sessions/],
    [claude, /~\/\.claude\/projects/],
    [gemini, /folder chats/],
  ] as const) {
    assert.throws(
      () => readSession(text, { name: "history.jsonl" }),
      (error: { code: string; message: string }) =>
        error.code === "no_conversation" && where.test(error.message) && !error.message.includes("Fix it"),
    );
  }
});
