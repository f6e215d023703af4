/**
 * gemini-cli's chats, old and new: results beside their calls, copies of results, records that come again, lists that
 * replace others.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { openSession, readSession, writeSession } = sessions;
const old = fixture("gemini-chat.json");
const log = fixture("gemini-chat.jsonl");
/** The same log before its compression. */
const open = `${log.split("\n").slice(0, 14).join("\n")}\n`;

const header = { sessionId: "g", projectHash: "h", startTime: "2026-03-04T10:00:00.000Z" };
const user = (id: string, text: string) => ({
  id,
  timestamp: "2026-03-04T10:00:00.000Z",
  type: "user",
  content: [{ text }],
});
const texts = (messages: readonly unknown[]) =>
  (messages as { parts: { text?: string }[] }[]).flatMap(({ parts }) => parts.flatMap(({ text }) => text ?? []));

test("an old chat opens with calls and their results in turn", () => {
  const session = readSession(old);
  check(session, {
    layout: "gemini-chat",
    tool: "gemini-cli",
    format: "gemini",
    id: "g-1",
    title: "Totals that differ",
    cwd: "/srv/shop",
    model: "gemini-3-pro",
    problems: [],
  });
  assert.deepEqual(outline(session), [
    "user text",
    "user text image",
    "assistant text call:c1 call:c2",
    "user result:c1 result:c2",
    "assistant call:c3 call:c4",
    "user result:c4",
    "assistant text",
    "user text",
  ]);
  assert.deepEqual(unpaired(session), ["call c3"]);
  assert.deepEqual(session.entries.map(({ injected, places }) => [injected, places]).slice(0, 4), [
    [true, [0]],
    [undefined, [3]],
    [undefined, [4]],
    [undefined, [4]],
  ]);
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["1 info", "1 command", "1 thoughts", "1 error"],
  );
  assert.deepEqual(
    session.usage.map(({ answer, usage: { input, cacheRead, output, reasoning } }) => [
      answer,
      input,
      cacheRead,
      output,
      reasoning,
    ]),
    [
      [2, 200, 800, 50, 10],
      [4, 100, 1000, 20, 0],
      [6, 110, 1090, 9, 0],
    ],
  );
});

test("a log opens with the newest version of each record, and results once", () => {
  const session = readSession(log);
  check(session, { layout: "gemini-chat", id: "g-2", problems: [] });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text",
    "assistant call:c1 call:c2",
    "user result:c1 result:c2",
    "assistant text",
    "user text",
    "assistant text call:c3 call:c4",
    "user result:c3 result:c4",
    "assistant text",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  assert.match(JSON.stringify(session.history[2]), /masked/);
  assert.match(JSON.stringify(session.history[5]), /thoughtSignature/);
  assert.deepEqual(
    session.usage.map(({ answer, usage: { promptTotal } }) => [answer, promptTotal]),
    [
      [1, 900],
      [3, 1000],
      [5, 1100],
      [7, 1300],
      [9, 400],
    ],
  );
});

test("a list without earlier records is a compression", () => {
  const session = readSession(log);
  const [compaction, ...more] = session.compactions;
  assert.deepEqual(more, []);
  assert.deepEqual(
    [compaction?.before, compaction?.place, compaction?.summary],
    [8, 15, "<state_snapshot>The rounding is fixed.</state_snapshot>"],
  );
  assert.deepEqual(texts(session.messages), [
    "<state_snapshot>The rounding is fixed.</state_snapshot>",
    "Got it.",
    "Done.",
    "Now the tests.",
    "They pass.",
  ]);
});

test("a chat that was resumed, from 0.61 on, has its messages once and no compression", () => {
  const call = { id: "read_1", name: "read_file", args: { path: "a" } };
  const result = { functionResponse: { id: "read_1", name: "read_file", response: { output: "A." } } };
  const start = user("c", "<session_context>\nThis is the Gemini CLI.\n</session_context>");
  const answer = {
    ...user("a1", ""),
    type: "gemini",
    model: "gemini-2.5-pro",
    tokens: { input: 90, output: 5, cached: 40 },
  };
  const asked = user("u1", "Read a.");
  const last = { ...answer, id: "a2", content: "It is A." };
  const thought = { text: "I read it.", thought: true };
  // The tool's versions of its list: thoughts, calls and results are parts, and nothing is reported.
  const listed = [
    start,
    asked,
    { ...user("a1", ""), type: "gemini", content: [thought, { text: "Reading." }, { functionCall: call }] },
    { ...user("a1_response", ""), content: [result] },
    { ...user("a2", ""), type: "gemini", content: [{ text: "It is A." }], timestamp: "2026-03-05T10:00:00.000Z" },
  ];
  const text = lines(
    header,
    { $set: { messages: [start] } },
    asked,
    { ...answer, content: "Reading." },
    { ...answer, content: "Reading.", toolCalls: [{ ...call, result: [result] }] },
    last,
    header,
    { $set: { messages: [start] } },
    { $set: { sessionId: "g" } },
    { $set: { messages: listed } },
    user("u2", "And b?"),
    { ...last, id: "a3", content: "It is B." },
  );
  for (const keepsHistory of [true, false]) {
    const session = readSession(text, { history: keepsHistory });
    assert.deepEqual(session.compactions, []);
    assert.deepEqual([session.turns, session.usage.map(({ usage }) => usage.promptTotal)], [2, [90, 90, 90]]);
    assert.deepEqual(texts(session.messages).slice(1), ["Read a.", "Reading.", "It is A.", "And b?", "It is B."]);
    assert.deepEqual(session.history, session.messages);
    assert.deepEqual(session.entries.at(4)?.time, session.entries.at(1)?.time);
    assert.deepEqual(unpaired(session), []);
    assert.equal(writeSession(session, session.messages, text).trim().split("\n").length > 5, true);
  }
  const session = readSession(text);
  const fewer = session.messages.filter((_, at) => at !== 1);
  assert.deepEqual(readSession(writeSession(session, fewer, text)).messages, fewer);
});

test("what was taken back is a branch; an unknown id takes everything back", () => {
  assert.deepEqual(
    readSession(log).sideChains.map(({ id, kind, messages }) => [id, kind, texts(messages)]),
    [["rewind:10", "branch", ["Rewrite all of it.", "Rewriting."]]],
  );
  const session = readSession(
    lines(header, user("1", "one"), user("2", "two"), { $rewindTo: "9" }, user("1", "three")),
  );
  assert.deepEqual(texts(session.messages), ["three"]);
});

test("without history memory keeps what is live", async () => {
  const { history, messages } = await openSession(new Blob([log]).stream(), { history: false });
  assert.deepEqual(messages, readSession(log).messages);
  assert.equal(history.length, 2);
});

test("fields of any type are survived, and a header alone is no conversation", () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant({ toString: 1 }), fc.constantFrom("user", "gemini", "a", "b"));
  const call = fc.dictionary(fc.constantFrom("id", "name", "args", "result"), value);
  const record = fc.dictionary(
    fc.constantFrom("id", "type", "content", "tokens", "thoughts", "$rewindTo", "$set"),
    value,
  );
  const whole = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    type: fc.constantFrom("user", "gemini", "info"),
    content: value,
    toolCalls: fc.oneof(value, fc.array(call)),
  });
  const set = fc.record({ $set: fc.record({ messages: fc.oneof(value, fc.array(fc.oneof(record, whole))) }) });
  fc.assert(
    fc.property(fc.array(fc.oneof(record, whole, set)), (records) => {
      try {
        readSession(lines(header, user("1", "Hi"), ...records));
      } catch (error) {
        assert.equal((error as { code: string }).code, "no_conversation");
      }
    }),
    { numRuns: runs(300) },
  );
  assert.throws(() => readSession(JSON.stringify(header)), { code: "no_conversation" });
});

test("unchanged turns keep their records; the others are put together anew", () => {
  const session = readSession(old);
  const shorter = JSON.parse(writeSession(session, session.messages.slice(1), old)) as { messages: { id: string }[] };
  assert.deepEqual(shorter.messages, (JSON.parse(old) as typeof shorter).messages.slice(1));
  const results = session.messages[3] as { role: string; parts: object[] };
  const edited = {
    ...results,
    parts: results.parts
      .map(() => ({ functionResponse: { id: "c1", name: "run_shell_command", response: { output: "cut" } } }))
      .slice(0, 1),
  };
  const messages = session.messages.map((message) => (message === results ? edited : message));
  const written = JSON.parse(writeSession(session, messages, old)) as {
    messages: { type: string; content: unknown; toolCalls?: { result?: unknown }[] }[];
  };
  assert.deepEqual(
    written.messages[4]?.toolCalls?.map(({ result }) => result),
    [edited.parts, undefined],
  );
  assert.equal(written.messages[4]?.content, "I look at both.");
});

test("after a compression only what follows it is written anew", () => {
  const session = readSession(log);
  assert.equal(
    writeSession(session, session.messages.slice(0, -1), log),
    `${log.split("\n").slice(0, 16).join("\n")}\n`,
  );
});

test("any subset, with new turns anywhere, reads as it was written", () => {
  const fresh = fc.constantFrom(
    { role: "user", parts: [{ text: "new" }] },
    { role: "model", parts: [{ text: "new" }] },
    { role: "model", parts: [{ functionCall: { id: "n1", name: "f", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { id: "n1", name: "f", response: { output: "1" } } }] },
    { role: "model", parts: [{ functionCall: { name: "g", args: {} } }, { text: "and" }] },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(old, log, open),
      fc.array(fc.tuple(fc.boolean(), fc.option(fresh)), { minLength: 12, maxLength: 12 }),
      (text, picks) => {
        const session = readSession(text);
        const messages = session.messages.flatMap((message, at) => [
          ...(picks[at]![0] ? [message] : []),
          ...(picks[at]![1] ? [structuredClone(picks[at]![1])] : []),
        ]);
        fc.pre(messages.length > 0);
        assert.deepEqual(readSession(writeSession(session, messages, text)).messages, messages);
      },
    ),
    { numRuns: runs(500) },
  );
});
