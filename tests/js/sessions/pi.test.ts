/** pi's sessions: a tree of lines, old ones without ids, compactions that keep messages, and writing them back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { readSession, writeSession } = sessions;
const log = fixture("pi.jsonl");
/** The same session before its compaction. */
const open = log.split("\n").slice(0, 17).join("\n");

test("a session opens with the path to its leaf", () => {
  const session = readSession(log);
  check(session, {
    layout: "pi",
    tool: "pi",
    format: "anthropic",
    id: "pi-1",
    cwd: "/srv/shop",
    version: "3",
    model: "claude-sonnet-4-5",
    title: "Rounding",
    problems: [],
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text",
    "assistant reasoning text call:t1 call:t2",
    "user result:t1 result:t2",
    "assistant text",
    "user text",
    "user text",
    "user text",
    "assistant call:t3",
    "user text",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), ["call t3"]);
  assert.deepEqual(session.entries.map(({ injected }) => injected === true).filter(Boolean).length, 3);
  assert.deepEqual(session.entries[2], { places: [6, 7], time: Date.UTC(2026, 0, 5, 10, 0, 5), id: "e0000005" });
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["1 model_change", "1 thinking_level_change", "1 empty answer", "1 bashExecution", "1 label"],
  );
});

test("results are one message, and signatures of Anthropic's models are kept", () => {
  const { history } = readSession(log);
  assert.deepEqual(history[1], {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Look at both.", signature: "c2ln" },
      { type: "text", text: "Reading." },
      { type: "tool_use", id: "t1", name: "read", input: { path: "cart.ts" } },
      { type: "tool_use", id: "t2", name: "read", input: { path: "tax.ts" } },
    ],
  });
  assert.deepEqual(history[2], {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t1", content: "export const total = 1;" },
      { type: "tool_result", tool_use_id: "t2", content: "No such file.", is_error: true },
    ],
  });
  const foreign = log.replaceAll("anthropic-messages", "openai-responses");
  assert.deepEqual((readSession(foreign).history[1] as { content: unknown[] }).content[0], {
    type: "thinking",
    thinking: "Look at both.",
  });
});

test("a compaction keeps the messages from one line on", () => {
  const { compactions, messages, history } = readSession(log);
  assert.deepEqual(
    compactions.map(({ before, tokensBefore, place, summary }) => [before, tokensBefore, place, summary]),
    [[8, 1166, 18, "The totals differ because the cart rounds twice."]],
  );
  assert.deepEqual(messages.slice(1), history.slice(5));
  assert.equal(readSession(log, { history: false }).messages.length, messages.length);
});

test("the branch that was given up is a side chain", () => {
  assert.deepEqual(
    readSession(log).sideChains.map(({ id, kind, messages }) => [id, kind, messages.length]),
    [["branch:e0000008", "branch", 2]],
  );
});

test("usage is that of each answer", () => {
  assert.deepEqual(
    readSession(log).usage.map(({ answer, usage: { promptTotal, output } }) => [answer, promptTotal, output]),
    [
      [1, 903, 60],
      [3, 1025, 12],
      [7, 1146, 20],
      [10, 317, 2],
    ],
  );
});

const old = (...more: unknown[]) =>
  lines(
    {
      type: "session",
      id: "s",
      timestamp: "2025-12-09T00:53:29.825Z",
      cwd: "/w",
      provider: "anthropic",
      modelId: "m",
      thinkingLevel: "off",
    },
    { type: "message", message: { role: "user", content: "one" } },
    { type: "model_change", provider: "p", modelId: "n" },
    { type: "message", message: { role: "user", content: "two" } },
    { type: "message", message: { role: "user", content: "three" } },
    ...more,
  );

test("old sessions have no ids, and count the entry that a compaction keeps from the header on", () => {
  const text = old(
    { type: "compaction", summary: "S", firstKeptEntryIndex: 3, tokensBefore: 9 },
    { type: "message", message: { role: "user", content: "four" } },
  );
  const texts = (readSession(text).messages as { content: string }[]).map(({ content }) => content);
  assert.deepEqual(texts, ["S", "two", "three", "four"]);
});

test("a broken line does not hide what stands above it; ids that repeat are read once", () => {
  const broken = log
    .split("\n")
    .map((line, at) => (at === 5 ? line.slice(0, 60) : line))
    .join("\n");
  assert.equal(readSession(broken).history.length, readSession(log).history.length);
  const twice = readSession(log + log.split("\n").slice(0, 4).join("\n"));
  assert.equal(twice.history.length, 11);
  assert.deepEqual(twice.skipped.find(({ kind }) => kind === "repeated line")?.count, 3);
  const ring = lines(
    { type: "session", id: "s", cwd: "/" },
    { type: "message", id: "a", parentId: "b", message: { role: "user", content: "one" } },
    { type: "message", id: "b", parentId: "a", message: { role: "user", content: ["?", 7] } },
  );
  assert.equal(readSession(ring).history.length, 2);
});

test("two sessions in one file are distinguished", () => {
  assert.throws(() => readSession(`${log}${old()}`), {
    code: "several_sessions",
    message: /1 \(pi-1, 11 messages\), 2 \(s, 3 messages\)/,
  });
});

test("lines of other tools of the type message are not pi's", () => {
  const line = { type: "message", id: "1", message: { role: "assistant", content: [{ type: "text", text: "Hi" }] } };
  assert.equal(readSession(lines({ type: "session_start", id: "s" }, line)).layout, "droid");
  assert.throws(() => readSession(lines({ type: "start", id: "s" }, line)), { code: "unknown_session" });
});

test("what is written reads as it was meant, with its unchanged lines", () => {
  const word = fc.constantFrom("one", "two", "three");
  const fresh = fc.oneof(
    word.map((content) => ({ role: "user", content })),
    word.map((text) => ({
      role: "assistant",
      content: [
        { type: "text", text },
        { type: "tool_use", id: `n-${text}`, name: "read", input: {} },
      ],
    })),
  );
  const old1 = old(
    { type: "compaction", summary: "S", firstKeptEntryIndex: 3, tokensBefore: 9 },
    { type: "message", message: { role: "user", content: "four" } },
  );
  const torn = `${open}\n{"type":"mess`;
  const picks = fc.array(fc.tuple(fc.boolean(), fc.option(fresh)), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(log, open, torn, old1), picks, fc.boolean(), (text, choices, keepsContext) => {
      const session = readSession(text);
      const context = session.compactions.at(-1)?.context.length ?? 0;
      const messages = session.messages.flatMap((message, at) => {
        const [isKept, added] = choices[at]!;
        if (keepsContext && at < context) return [message];
        return [...(isKept ? [message] : []), ...(added ? [added] : [])];
      });
      fc.pre(messages.length > 0);
      const written = writeSession(session, messages, text);
      const again = readSession(written);
      assert.deepEqual(again.messages, messages);
      assert.equal(writeSession(session, messages, text), written);
      assert.equal(
        again.compactions.length,
        keepsContext || messages.slice(0, context).every((one, at) => one === session.messages[at])
          ? session.compactions.length
          : 0,
      );
      // pi walks from the last line upwards.
      const entries = written
        .split("\n")
        .filter((one) => one.endsWith("}"))
        .map((line) => JSON.parse(line) as { type: string; id?: string; parentId: string | null });
      const byId = new Map(
        entries.filter(({ type, id }) => type !== "session" && id !== undefined).map((entry) => [entry.id!, entry]),
      );
      for (let at = [...byId.values()].at(-1); at && at.parentId !== null; at = byId.get(at.parentId))
        assert.ok(byId.has(at.parentId), "a parent is missing");
    }),
    { numRuns: runs(500) },
  );
});

test("a changed result is written with its tool's name, and other lines stay", () => {
  const session = readSession(open);
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "gone" }] };
  const written = writeSession(
    session,
    session.messages.map((one, at) => (at === 2 ? result : one)),
    open,
  );
  const before = open.split("\n");
  const changed = written
    .split("\n")
    .filter((line) => !before.includes(line))
    .map((line) => JSON.parse(line) as { message: Record<string, unknown> });
  assert.deepEqual(
    changed.map(({ message }) => [message["role"], message["toolName"] ?? ""]),
    [
      ["toolResult", "read"],
      ["assistant", ""],
    ],
  );
  assert.deepEqual(readSession(written).messages[2], result);
});

test("bytes that the file only names are a note, not a picture", () => {
  const image = { type: "image", data: "blob:sha256:4a04", mimeType: "image/png" };
  const session = readSession(
    lines(
      { type: "session", version: 3, id: "s", cwd: "/srv" },
      { type: "message", id: "1", parentId: null, message: { role: "user", content: [image] } },
    ),
  );
  assert.deepEqual(session.messages, [
    { role: "user", content: [{ type: "text", text: "[image/png in another file]" }] },
  ]);
});
