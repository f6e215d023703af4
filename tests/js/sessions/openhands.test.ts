/** OpenHands before and after 1.0: several tasks in a file, parallel calls, sub-agents, condensations. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, fixture, lines, outline, sessions, unpaired, usageRows } from "./sessions.ts";

const { readSession } = sessions;
const tasks = fixture("openhands.jsonl");
const events = fixture("openhands-events.jsonl");

test("a file of several tasks asks which one, and opens each", () => {
  assert.throws(() => readSession(tasks), {
    code: "several_sessions",
    message: /1 \(shop-1, 8 messages\), 2 \(shop-2, 4 messages\)/,
  });
  const session = readSession(tasks, { conversation: 1 });
  check(session, { layout: "openhands", format: "openai-chat", id: "shop-1", model: "claude-sonnet-4-5" });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "system text",
    "user text",
    "assistant text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant call:c3",
    "tool result:c3",
    "assistant text call:c4",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), ["call c4"]);
  assert.deepEqual(session.tools?.length, 1);
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => `${count} ${kind}`),
    ["2 recall", "1 agent_state_changed"],
  );
});

test("a condensation leaves what it does not name", () => {
  const { compactions, messages, history } = readSession(tasks, { conversation: 1 });
  assert.deepEqual(
    compactions.map(({ before, place, summary }) => [before, place, summary]),
    [[7, 1, "Both files were read."]],
  );
  assert.deepEqual(messages, [
    history[0],
    history[1],
    { role: "user", content: "Both files were read." },
    ...history.slice(5),
  ]);
  assert.deepEqual(readSession(tasks, { conversation: 1, history: false }).messages, messages);
});

test("what a delegate did is a side chain", () => {
  const { sideChains } = readSession(tasks, { conversation: 1 });
  assert.deepEqual(
    sideChains.map(({ id, kind, title, call, messages }) => [id, kind, title, call, messages.length]),
    [["delegate:8", "subagent", "BrowsingAgent", "c3", 2]],
  );
});

test("usage is that of each completion", () => {
  const { usage } = readSession(tasks, { conversation: 1 });
  assert.deepEqual(
    usage.map(({ answer, usage: { input, cacheRead, output } }) => [answer, input, cacheRead, output]),
    [
      [2, 100, 900, 60],
      [5, 100, 1000, 20],
      [7, 700, 0, 12],
    ],
  );
});

test("old events without exact calls are paired by order", () => {
  const session = readSession(tasks, { conversation: 2 });
  assert.deepEqual(outline(session), [
    "user text",
    "assistant text call:event-1",
    "tool result:event-1",
    "assistant text",
  ]);
});

test("a trajectory is one list", () => {
  const { history } = JSON.parse(tasks.split("\n")[0]!) as { history: { id: number }[] };
  const session = readSession(JSON.stringify(history));
  assert.equal(session.history.length, 8);
  assert.deepEqual(
    session.entries.map(({ places }) => places.join()),
    ["0", "1", "4,6", "5", "7", "8", "11", "14"],
  );
  assert.equal(
    readSession(lines(...history, ...history)).skipped.find(({ kind }) => kind === "repeated event")?.count,
    15,
  );
});

test("events of the SDK: one answer for all actions of a response", () => {
  const session = readSession(events);
  check(session, {
    layout: "openhands-events",
    format: "openai-chat",
    id: "conv-1",
    cwd: "/srv/shop",
    model: "claude-sonnet-4-5",
    window: 200000,
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "system text",
    "user text",
    "assistant reasoning text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant call:c3",
    "tool result:c3",
    "assistant text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  assert.deepEqual(
    (session.history[1] as { content: string }).content,
    "Why do the totals differ?\n<skill>totals</skill>",
  );
  assert.deepEqual(session.messages, [
    session.history[0],
    session.history[1],
    { role: "user", content: "Both files were read." },
    ...session.history.slice(5),
  ]);
  assert.deepEqual(usageRows(session), [
    [2, 50, 900, 50, 60],
    [5, 100, 1000, 0, 20],
    [7, 700, 0, 0, 12],
  ]);
});

test("events as a list, and as the history of a task", () => {
  const list = events
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  assert.equal(readSession(JSON.stringify(list)).history.length, 8);
  assert.equal(readSession(JSON.stringify({ instance_id: "shop-1", history: list })).id, "shop-1");
});

test("hostile values do not break it", () => {
  const hostile = lines(
    { kind: "ActionEvent", tool_call: 7, thought: "x" },
    { kind: "Condensation", forgotten_event_ids: 7 },
    { kind: "MessageEvent" },
    { kind: 7 },
  );
  assert.equal(readSession(hostile).layout, "openhands-events");
  const old = lines(
    { id: 1, source: "agent", action: "run", args: { command: 7 } },
    { id: 2, source: "agent", observation: "run", content: "x", cause: "y", tool_call_metadata: 7 },
    { id: 3, source: "agent", action: "condensation", args: {} },
  );
  assert.equal(readSession(old).layout, "openhands");
});
