/**
 * Codex's rollouts: items among events, forks, turns that were taken back, compactions with and without a history,
 * reports of usage.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { check, fixture, lines, outline, sessions, unpaired, usageRows } from "./sessions.ts";
import { runs } from "../runs.ts";

const { readSession, openSession, writeSession } = sessions;
const log = fixture("codex.jsonl");
/** The same rollout before its compaction, and without an end in the middle. */
const open = log.split("\n").slice(0, 39).join("\n");
const whole = log.slice(0, log.lastIndexOf("\n") + 1);

const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const item = (payload: unknown) => ({ timestamp: "2026-02-03T10:00:00.000Z", type: "response_item", payload });
const event = (payload: unknown) => ({ timestamp: "2026-02-03T10:00:00.000Z", type: "event_msg", payload });
const meta = { timestamp: "2026-02-03T10:00:00.000Z", type: "session_meta", payload: { id: "t", cwd: "/srv" } };
const texts = (messages: readonly unknown[]) =>
  (messages as { content?: { text: string }[] }[]).flatMap(({ content = [] }) => content.map(({ text }) => text));

test("a rollout opens with its items, the first header, and what was left out", () => {
  const session = readSession(log);
  check(session, {
    layout: "codex",
    tool: "Codex",
    format: "openai-responses",
    id: "th-1",
    cwd: "/srv/shop",
    version: "0.98.0",
    model: "gpt-5.2-codex",
    window: 258_400,
    system: "You write code.",
    problems: [{ line: 50, message: "the last line is incomplete, as in a file that is still being written" }],
  });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "developer text",
    "user text text",
    "user text",
    "assistant reasoning",
    "assistant call:c1",
    "assistant call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant call:c3",
    "tool result:c3",
    "assistant opaque",
    "assistant text",
    "user text",
    "assistant call:c4",
    "tool result:c4",
    "assistant text",
    "user text",
    "user text",
    "assistant call:c5",
    "tool result:c5",
    "assistant text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  const kinds = Object.fromEntries(session.skipped.map(({ kind, count }) => [kind, count]));
  assert.deepEqual(
    [
      kinds["event_msg/user_message"],
      kinds["event_msg/token_count"],
      kinds["response_item/ghost_snapshot"],
      kinds["repeated session_meta"],
    ],
    [4, 8, 1, 1],
  );
  assert.deepEqual([kinds["world_state"], kinds["response_item/agent_message"]], [1, 1]);
});

test("texts that Codex wrote are no requests of the user", () => {
  const { entries, history } = readSession(log);
  const requests = history.filter((one, at) => (one as { role?: string }).role === "user" && !entries[at]!.injected);
  assert.deepEqual(texts(requests), ["Why do the totals differ?", "Fix only the rounding.", "<b>Now the tests.</b>"]);
});

test("usage is read once, from records and from events of the same numbers", () => {
  const counts = (input: number, output: number) => ({
    input_tokens: input,
    cached_input_tokens: 40,
    output_tokens: output,
    reasoning_output_tokens: 5,
    total_tokens: input + output,
  });
  const report = (input: number, output: number, total: number) => ({
    type: "token_usage_record",
    payload: { response_id: `r${total}`, usage: counts(input, output), thread_token_usage: { total_tokens: total } },
  });
  const count = (input: number, output: number, total: number) =>
    event({
      type: "token_count",
      info: { last_token_usage: counts(input, output), total_token_usage: { total_tokens: total } },
    });
  const session = readSession(
    lines(
      meta,
      item(message("user", "One?")),
      item(message("assistant", "One.")),
      report(100, 20, 120),
      count(100, 20, 120),
      item(message("user", "Two?")),
      item(message("assistant", "Two.")),
      report(150, 30, 300),
      report(150, 30, 300),
    ),
  );
  assert.deepEqual(usageRows(session), [
    [1, 60, 40, 0, 20],
    [3, 110, 40, 0, 30],
  ]);
});

test("a compaction replaces everything before it", () => {
  const session = readSession(log);
  const [compaction] = session.compactions;
  assert.deepEqual(
    [compaction?.before, compaction?.context.length, compaction?.tokensBefore, compaction?.place],
    [16, 3, 1608, 40],
  );
  assert.match(compaction?.summary ?? "", /The rounding is fixed/);
  assert.deepEqual(session.messages.slice(3), session.history.slice(16));
});

test("without a history of its own a compaction keeps the newest texts of the user", () => {
  const long = "x".repeat(70_000);
  const session = readSession(
    lines(
      meta,
      item(message("user", "<environment_context>e</environment_context>")),
      item(message("user", "a".repeat(20_000))),
      item(message("assistant", "answer")),
      item(message("user", long)),
      { type: "compacted", payload: { message: "The summary." } },
      item(message("user", "next")),
    ),
  );
  assert.deepEqual(texts(session.messages), [long, "The summary.", "next"]);
});

test("turns that were taken back are branches, also where a compaction kept them", () => {
  const { sideChains } = readSession(log);
  assert.deepEqual(
    sideChains.map(({ id, kind, messages }) => [id, kind, texts(messages)]),
    [["rollback:33", "branch", ["<model_switch>Another model.</model_switch>", "Rewrite all of it.", "Rewriting."]]],
  );
  const back = (count: number) =>
    readSession(
      lines(
        meta,
        item(message("user", "one")),
        {
          type: "compacted",
          payload: { message: "s", replacement_history: [message("user", "one"), message("user", "two")] },
        },
        item(message("user", "three")),
        item(message("assistant", "answer")),
        event({ type: "thread_rolled_back", num_turns: count }),
        item(message("user", "four")),
      ),
    );
  assert.deepEqual(texts(back(1).messages), ["one", "two", "four"]);
  assert.deepEqual(texts(back(2).messages), ["one", "four"]);
  assert.deepEqual(texts(back(99).messages), ["four"]);
});

test("usage belongs to the first item of an answer, and repeated reports count once", () => {
  const { usage } = readSession(log);
  assert.deepEqual(
    usage.map(({ answer, usage: { input, cacheRead, output, reasoning } }) => [
      answer,
      input,
      cacheRead,
      output,
      reasoning,
    ]),
    [
      [3, 200, 1000, 60, 20],
      [8, 120, 1280, 30, 0],
      [10, 92, 1408, 9, 0],
      [13, 64, 1536, 8, 0],
      [18, 700, 0, 5, 0],
    ],
  );
});

test("old rollouts are bare items behind a header; items alone are no session", () => {
  const header = { id: "old", timestamp: "2025-07-01T10:00:00.000Z", instructions: null };
  const call = { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" };
  const items = [
    message("user", "<environment_context>e</environment_context>"),
    message("user", "Hi"),
    call,
    { type: "function_call_output", call_id: "c1", output: "ok" },
  ];
  const session = readSession(lines(header, { record_type: "state" }, ...items));
  check(session, { layout: "codex", id: "old" });
  assert.deepEqual(session.messages, items);
  assert.throws(() => readSession(lines(...items)), { code: "unknown_session" });
});

test("lines that only drive the screen are not parsed", () => {
  const broken =
    '{"timestamp":"2026-02-03T10:00:00.000Z","type":"event_msg","payload":{"type":"exec_command_end","stdout":oops}}';
  const { problems, skipped } = readSession(`${lines(meta, item(message("user", "Hi")))}\n${broken}`);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    skipped.map(({ kind }) => kind),
    ["event_msg/exec_command_end"],
  );
});

test("fields of any type are survived", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constant({ toString: 1 }),
    fc.constantFrom(...["message", "token_count", "thread_rolled_back", "user", "reasoning"]),
  );
  const payload = fc.dictionary(
    fc.constantFrom("type", "role", "content", "info", "num_turns", "output", "replacement_history", "message", "id"),
    value,
  );
  const line = fc.record({
    type: fc.constantFrom("response_item", "event_msg", "compacted", "session_meta", "turn_context", 7),
    payload: fc.oneof(payload, value),
  });
  fc.assert(
    fc.property(fc.array(line), (records) => {
      try {
        readSession(lines(meta, item(message("user", "Hi")), ...records));
      } catch (error) {
        // A turn that was taken back may have been the only one.
        assert.equal((error as { code: string }).code, "no_conversation");
      }
    }),
    { numRuns: runs(300) },
  );
});

test("without history memory keeps what is live", async () => {
  const { history, messages } = await openSession(new Blob([log]).stream(), { history: false });
  assert.deepEqual(messages, readSession(log).messages);
  assert.equal(history.length, 5);
});

test("what is written is read as it was meant, and lines that stay are the original ones", () => {
  const session = readSession(whole);
  assert.equal(writeSession(session, session.messages, whole), whole);
  const shorter = writeSession(session, session.messages.slice(0, -1), whole);
  assert.equal(
    shorter,
    whole
      .split("\n")
      .filter((_, at) => ![47, 48].includes(at))
      .join("\n"),
  );
  const fresh = fc.constantFrom(message("user", "new"), message("assistant", "new"), {
    type: "function_call",
    name: "f",
    arguments: "{}",
    call_id: "n",
  });
  fc.assert(
    fc.property(
      fc.constantFrom(log, whole, open),
      fc.array(fc.tuple(fc.boolean(), fc.option(fresh)), { minLength: 20, maxLength: 20 }),
      (text, picks) => {
        const before = readSession(text);
        const messages = before.messages.flatMap((one, at) => [
          ...(picks[at]![0] ? [one] : []),
          ...(picks[at]![1] ? [picks[at]![1]] : []),
        ]);
        fc.pre(messages.length > 0);
        const written = writeSession(before, messages, text);
        assert.deepEqual(readSession(written).messages, messages);
        const ordinals = [...written.matchAll(/^\{"timestamp":"[^"]*","ordinal":(\d+),.*\}$/gm)].map(([, ordinal]) =>
          Number(ordinal),
        );
        assert.ok(ordinals.every((ordinal, at) => at === 0 || ordinal > ordinals[at - 1]!));
      },
    ),
    { numRuns: runs(500) },
  );
});

test("contents are written as lists, which is all that Codex parses", () => {
  const session = readSession(whole);
  const again = readSession(writeSession(session, [{ role: "user", content: "Go on." }], whole));
  assert.deepEqual(again.messages, [message("user", "Go on.")]);
});
