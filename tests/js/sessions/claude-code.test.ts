/** Claude Code's logs: one answer in several lines, side chains, branches, compactions, the last line torn. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";

const { readSession } = sessions;
const log = fixture("claude-code.jsonl");

test("a log opens with its live context, its history and what was left out", () => {
  const session = readSession(log);
  check(session, {
    layout: "claude-code",
    tool: "Claude Code",
    format: "anthropic",
    id: "s-1",
    cwd: "/srv/shop",
    version: "2.1.0",
    model: "claude-sonnet-4-5",
    problems: [{ line: 23, message: "the last line is incomplete, as in a file that is still being written" }],
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text",
    "user text",
    "assistant reasoning call:toolu_1 call:toolu_2",
    "user result:toolu_1 result:toolu_2",
    "assistant text",
    "user text",
    "assistant text",
    "user text",
    "user text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  assert.deepEqual(session.entries[0], { places: [3], time: Date.UTC(2026, 0, 5, 10), injected: true });
  assert.deepEqual(session.entries[2]?.places, [5, 6, 8]);
  assert.deepEqual(session.messages.slice(1), [
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: "Now the tests." },
    { role: "user", content: "And the docs." },
  ]);
});

test("a compaction is read with its summary, its tokens and what it kept", () => {
  const [compaction, ...more] = readSession(log).compactions;
  assert.deepEqual(more, []);
  assert.equal(compaction?.summary, "This session continues an earlier one. The rounding in cart.ts is fixed.");
  assert.deepEqual(
    [compaction?.before, compaction?.tokensBefore, compaction?.tokensAfter, compaction?.place],
    [7, 1031, 240, 19],
  );
});

test("sub-agents and branches that were given up are side chains, which open by their id", () => {
  const { sideChains } = readSession(log);
  assert.deepEqual(
    sideChains.map(({ id, kind, call, messages }) => [id, kind, call, messages.length]),
    [
      ["ag1", "subagent", "toolu_2", 2],
      ["branch:u2", "branch", undefined, 2],
    ],
  );
  const side = readSession(log, { sideChain: "ag1" });
  assert.deepEqual([side.messages.length, side.sideChain], [2, "ag1"]);
  assert.throws(() => sessions.writeSession(side, [], log), { code: "unsupported", path: "session.sideChain" });
  assert.throws(() => readSession(log, { sideChain: "ag2" }), { code: "bad_option", path: "options.sideChain" });
});

test("usage is that of the last line of an answer", () => {
  assert.deepEqual(
    readSession(log).usage.map(({ answer, usage: { promptTotal, output }, model }) => [
      answer,
      promptTotal,
      output,
      model,
    ]),
    [
      [2, 903, 88, "claude-sonnet-4-5"],
      [4, 1025, 12, "claude-sonnet-4-5"],
      [6, 1026, 2, "claude-sonnet-4-5"],
    ],
  );
});

test("what is no conversation is counted by kind", () => {
  assert.deepEqual(
    readSession(log).skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["1 summary", "1 file-history-snapshot", "1 progress", "1 error message"],
  );
});

test("two sessions in one file are told apart, and chosen", () => {
  const line = (uuid: string, sessionId: string, content: string) => ({
    parentUuid: null,
    sessionId,
    uuid,
    type: "user",
    message: { role: "user", content },
  });
  const both = lines(line("1", "a", "one"), line("2", "b", "two"));
  assert.throws(() => readSession(both, { name: "both.jsonl" }), {
    code: "several_sessions",
    message: /both\.jsonl contains 2 conversations of Claude Code: 1 \(a, 1 messages\), 2 \(b/,
  });
  assert.deepEqual(readSession(both, { conversation: 2 }).messages, [{ role: "user", content: "two" }]);
});

test("a broken line in the middle is reported, and the rest is read", () => {
  const broken = log
    .split("\n")
    .map((line, at) => (at === 11 ? line.slice(0, 40) : line))
    .join("\n");
  const { problems, history } = readSession(broken);
  assert.deepEqual(
    problems.map(({ line }) => line),
    [12, 23],
  );
  assert.equal(history.length, 9);
});

test("without history memory keeps what is live", async () => {
  const whole = readSession(log);
  const { history, messages } = await sessions.openSession(new Blob([log]).stream(), { history: false });
  assert.deepEqual(messages, whole.messages);
  assert.equal(history.length, 2);
});

test("the file of a sub-agent opens as its conversation", () => {
  const own = log.split("\n").filter((line) => line.includes('"isSidechain":true'));
  const { messages, turns, id, usage, sideChains } = readSession(own.join("\n"));
  assert.deepEqual([messages.length, turns, id, usage.length, sideChains], [2, 1, "s-1", 1, []]);
});
