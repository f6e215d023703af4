/** Zed, Cursor, Continue, Amp and droid: pairs, turns, compactions, usage, and what is left out. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Session } from "../../../js/sessions/index.ts";
import { check, fixture, lines, outline, sessions, unpaired } from "./sessions.ts";
import { runs } from "../runs.ts";

const { readSession } = sessions;
const files = {
  zed: fixture("zed.json"),
  cursor: fixture("cursor.json"),
  continue: fixture("continue.json"),
  amp: fixture("amp.json"),
  droid: fixture("droid.jsonl"),
};
const history = (session: Session) => outline({ ...session, messages: session.history });
const alone = (session: Session) => unpaired({ ...session, messages: session.history });
const skipped = (session: Session) => session.skipped.map(({ kind, count }) => `${count} ${kind}`);
const usage = (session: Session) =>
  session.usage.map(({ answer, usage: { promptTotal, output } }) => [answer, promptTotal, output]);
const compactions = (session: Session) =>
  session.compactions.map(({ before, summary, context }) => [before, summary, context.length]);

test("Zed: results belong to the answer that holds them", () => {
  const session = readSession(files.zed);
  check(session, {
    layout: "zed",
    format: "anthropic",
    title: "Rounding",
    version: "0.3.0",
    model: "claude-sonnet-4-5",
    cwd: "/srv/shop",
  });
  assert.deepEqual(history(session), [
    "user text text image text",
    "assistant reasoning text call:call_0 call:call_1",
    "user result:call_0 result:call_1",
    "assistant call:call_0",
    "user result:call_0",
    "user text",
    "assistant reasoning text",
    "user text",
    "assistant text call:call_9",
  ]);
  assert.deepEqual(alone(session), ["call call_9"]);
  assert.deepEqual(session.history[4], {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "call_0", content: '{"exit":0}' }],
  });
  assert.deepEqual((session.history[3] as { content: { input: unknown }[] }).content[0]!.input, {
    command: "npm test",
  });
  assert.deepEqual(session.entries.map(({ injected = false }) => injected).indexOf(true), 5);
  assert.deepEqual(compactions(session), [[7, "Totals are not rounded.", 1]]);
  assert.deepEqual(
    [usage(session), skipped(session)],
    [
      [
        [6, 4120, 9],
        [8, 30, 7],
      ],
      ["1 Compaction"],
    ],
  );
});

test("Zed: older threads hold segments", () => {
  const text = (words: string) => [{ type: "text", text: words }];
  const result = { tool_use_id: "t1", is_error: false, content: "none", output: null };
  const messages = [
    { id: 0, role: "user", segments: text("Why?"), tool_uses: [], tool_results: [] },
    {
      id: 1,
      role: "assistant",
      segments: text("I'll look."),
      tool_uses: [{ id: "t1", name: "grep", input: { regex: "a" } }],
      tool_results: [],
    },
    { id: 2, role: "user", segments: [], tool_uses: [], tool_results: [result] },
    {
      id: 3,
      role: "assistant",
      segments: text("Done."),
      tool_uses: [{ id: "t1", name: "ls", input: {} }],
      tool_results: [result],
    },
  ];
  const session = readSession(JSON.stringify({ version: "0.2.0", summary: "Old", messages }));
  check(session, { layout: "zed", title: "Old" });
  assert.deepEqual(history(session), [
    "user text",
    "assistant text call:t1",
    "user result:t1",
    "assistant text call:t1",
    "user result:t1",
  ]);
});

test("Cursor: bubbles become answers with their calls, in the order of the headers", () => {
  const session = readSession(files.cursor);
  check(session, {
    layout: "cursor",
    format: "anthropic",
    id: "chat-1",
    title: "Rounding",
    cwd: "/srv/shop",
    window: 200_000,
    version: "13",
    model: "claude-4.5-sonnet",
  });
  assert.deepEqual(history(session), [
    "user text",
    "assistant reasoning text call:call_1 call:call_2",
    "user result:call_1 result:call_2",
    "assistant call:call_3",
    "assistant text",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual(alone(session), ["call call_3"]);
  assert.deepEqual(
    [usage(session), compactions(session), skipped(session)],
    [[[4, 900, 12]], [[5, "Totals are not rounded.", 1]], ["1 an empty bubble", "1 bubble"]],
  );
  const { composerData, bubbles } = JSON.parse(files.cursor) as {
    composerData: object;
    bubbles: Record<string, object>;
  };
  const rows = [
    { key: "composerData:chat-1", value: JSON.stringify(composerData) },
    ...Object.entries(bubbles).map(([id, bubble]) => ({
      key: `bubbleId:chat-1:${id}`,
      value: JSON.stringify(bubble),
    })),
  ];
  for (const text of [
    lines(...rows),
    JSON.stringify(rows),
    JSON.stringify(Object.fromEntries(rows.map(({ key, value }) => [key, value]))),
  ]) {
    assert.deepEqual(readSession(text).messages, session.messages);
  }
  const two = [composerData, { ...composerData, composerId: "chat-2", name: "Other" }, Object.values(bubbles)];
  assert.throws(() => readSession(JSON.stringify(two)), {
    code: "several_sessions",
    message: /1 \(Rounding, 7 messages\), 2 \(Other/,
  });
});

test("Continue: context goes before the request, states hold the results", () => {
  const session = readSession(files.continue);
  check(session, {
    layout: "continue",
    format: "openai-chat",
    id: "s-1",
    title: "Rounding",
    cwd: "/srv/shop",
    model: "claude-sonnet-4-5",
  });
  assert.deepEqual(history(session), [
    "user text text",
    "assistant reasoning text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant call:c3",
    "tool result:c3",
    "user text image",
    "assistant call:c4",
  ]);
  assert.equal((session.history[1] as { reasoning_content: string }).reasoning_content, "Look first.");
  assert.deepEqual(alone(session), ["call c4"]);
  assert.deepEqual(session.history.slice(2, 4), [
    { role: "tool", tool_call_id: "c1", content: "const total = sum;\n\nend" },
    { role: "tool", tool_call_id: "c2", content: "The user cancelled this tool call." },
  ]);
  assert.deepEqual(
    [usage(session), compactions(session), skipped(session)],
    [[[1, 900, 30]], [[6, "Totals are fixed.", 1]], ["1 promptLogs", "1 tool"]],
  );
});

test("Continue: thoughts go with their answer, and one without an answer is listed", () => {
  const of = (role: string, content: string) => ({ message: { role, content }, contextItems: [] });
  const history = [
    of("user", "Hi"),
    of("thinking", "A greeting."),
    of("assistant", "Hello."),
    of("thinking", "What now?"),
  ];
  const { messages, skipped } = sessions.readSession(
    JSON.stringify({ sessionId: "s", title: "t", workspaceDirectory: "/w", history }),
  );
  assert.deepEqual(messages.at(-1), { role: "assistant", content: "Hello.", reasoning_content: "A greeting." });
  assert.deepEqual(skipped, [{ kind: "thinking", count: 1, why: "no answer follows it" }]);
});

test("Amp: runs of tools are results", () => {
  const session = readSession(files.amp);
  check(session, {
    layout: "amp",
    format: "anthropic",
    id: "T-1",
    title: "Rounding",
    cwd: "/srv/shop",
    model: "claude-sonnet-4-5",
    version: "12",
  });
  assert.deepEqual(history(session), [
    "user text",
    "assistant reasoning call:toolu_1 call:toolu_2",
    "user result:toolu_1 result:toolu_2",
    "assistant text",
  ]);
  assert.deepEqual([alone(session), usage(session)], [[], [[1, 9108, 40]]]);
  const texts = {
    messages: [
      { role: "user", text: "Why?" },
      { role: "assistant", text: "A comma is missing." },
    ],
  };
  for (const file of [texts, texts.messages]) {
    assert.deepEqual(readSession(JSON.stringify(file)).messages, [
      { role: "user", content: "Why?" },
      { role: "assistant", content: "A comma is missing." },
    ]);
  }
  assert.throws(() => readSession(JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] })), {
    code: "unknown_session",
  });
});

test("droid: lines of messages, and a summary up to the message that it names", () => {
  const session = readSession(files.droid);
  check(session, {
    layout: "droid",
    format: "anthropic",
    id: "d-1",
    title: "Rounding",
    cwd: "/srv/shop",
    version: "2",
  });
  assert.deepEqual(history(session), [
    "user text",
    "user text text",
    "assistant reasoning call:t1",
    "user result:t1",
    "assistant text",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual(outline(session), ["user text", "user text", "assistant text"]);
  assert.equal(session.messages[1], session.history[5]);
  assert.deepEqual([alone(session), skipped(session)], [[], ["1 repeated line", "1 todo_state", "1 session_end"]]);
  assert.deepEqual(session.entries.map(({ injected = false }) => injected).filter(Boolean).length, 1);
});

test("droid: a text behind a reminder in the same block is the user's", () => {
  const say = (id: string, text: string) => ({
    type: "message",
    id,
    message: { role: "user", content: [{ type: "text", text }] },
  });
  const session = readSession(
    lines(
      { type: "session_start", id: "d-2" },
      say("m1", "<system-reminder>\nBe brief.\n</system-reminder>\n<system-notification>Done.</system-notification>\n"),
      say("m2", "<system-reminder>\nBe brief.\n</system-reminder>\n\nWhy are totals off?"),
    ),
  );
  assert.deepEqual([session.turns, session.entries.map(({ injected = false }) => injected)], [1, [true, false]]);
});

test("droid: events of a run are answers with their calls, and results", () => {
  const own = { sessionId: "d-3", timestamp: 1767812640310 };
  const call = (id: string) => ({
    type: "tool_call",
    id,
    toolId: "LS",
    toolName: "LS",
    parameters: { path: "." },
    ...own,
  });
  const result = (id: string, isError: boolean) => ({
    type: "tool_result",
    id,
    toolId: "LS",
    isError,
    value: id,
    ...own,
  });
  const run = [
    { type: "system", subtype: "init", model: "m-1", cwd: "/srv", tools: ["LS"], ...own },
    { type: "message", role: "user", id: "m1", text: "List files.", ...own },
    { type: "message", role: "assistant", id: "m2", text: "I look.", ...own },
    call("c1"),
    call("c2"),
    result("c1", false),
    result("c2", true),
    { type: "completion", finalText: "Two files.", usage: { input_tokens: 10, output_tokens: 5 }, ...own },
  ];
  const session = readSession(lines(...run));
  check(session, { layout: "droid", format: "anthropic", id: "d-3", cwd: "/srv", model: "m-1", turns: 1 });
  assert.deepEqual(session.messages, [
    { role: "user", content: [{ type: "text", text: "List files." }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c1", name: "LS", input: { path: "." } },
        { type: "tool_use", id: "c2", name: "LS", input: { path: "." } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: "c1" },
        { type: "tool_result", tool_use_id: "c2", content: "c2", is_error: true },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Two files." }] },
  ]);
  assert.deepEqual([session.usage.length, skipped(session)], [0, ["1 completion"]]);
  const said = { type: "message", role: "assistant", id: "m2", text: "Two files.", ...own };
  const short = readSession(lines(run[1], said, run.at(-1)));
  assert.deepEqual([short.messages.length, short.usage[0]?.usage.promptTotal], [2, 10]);
});

test("Cursor: a transcript has calls without ids, mostly without results", () => {
  const say = (role: string, ...content: object[]) => ({ role, message: { content } });
  const words = (text: string) => ({ type: "text", text });
  const call = (name: string) => ({ type: "tool_use", name, input: { path: "." } });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: [words(id)] });
  const session = readSession(
    lines(
      say("user", words("<user_query>\nWhat is here?\n</user_query>")),
      say("assistant", { type: "thinking", thinking: "Look." }, words("I look."), call("Read"), call("Glob")),
      say("user", result("t1"), result("t2")),
      say("assistant", call("Shell")),
      say("assistant", words("Two files.")),
      { type: "turn_ended", status: "success" },
    ),
  );
  check(session, { layout: "cursor", tool: "Cursor", format: "anthropic", turns: 1 });
  assert.deepEqual(outline(session), [
    "user text",
    "assistant text call:call-2-2 call:call-2-3",
    "user result:call-2-2 result:call-2-3",
    "assistant call:call-4-0",
    "assistant text",
  ]);
  assert.deepEqual([alone(session), skipped(session)], [["call call-4-0"], ["1 thinking", "1 turn_ended"]]);
  // Other logs have types or ids beside the role.
  const foreign = { role: "user", message: { content: "Hi" }, id: "1" };
  assert.throws(() => readSession(lines(foreign, foreign)), { code: "unknown_session" });
});

test("any value anywhere does no harm", () => {
  /** Replaces the value that a walk of `steps` reaches. */
  const spoil = (file: unknown, steps: readonly number[], value: unknown): unknown => {
    if (steps.length === 0 || typeof file !== "object" || file === null) return value;
    const keys = Object.keys(file);
    if (keys.length === 0) return value;
    const key = keys[steps[0]! % keys.length]!;
    const inner = spoil((file as Record<string, unknown>)[key], steps.slice(1), value);
    return Array.isArray(file)
      ? file.map((item: unknown, at) => (String(at) === key ? inner : item))
      : { ...file, [key]: inner };
  };
  for (const [layout, text] of Object.entries(files)) {
    const isLines = layout === "droid";
    const file = isLines
      ? text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
      : (JSON.parse(text) as unknown);
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 7 }), fc.jsonValue(), (steps, value) => {
        const spoiled = spoil(file, steps, value);
        const written = isLines
          ? lines(...(Array.isArray(spoiled) ? (spoiled as unknown[]) : [spoiled]))
          : JSON.stringify(spoiled);
        try {
          check(readSession(written, { layout: layout as Session["layout"] }), {});
        } catch (error) {
          assert.ok(
            ["no_conversation", "bad_json", "several_sessions", "unknown_session"].includes(
              String((error as { code?: string }).code),
            ),
            String((error as Error).stack),
          );
        }
      }),
      { numRuns: runs(400) },
    );
  }
});

test("no reader takes the file of another", () => {
  const names = [
    "cline.json",
    "roo.json",
    "cline-session.json",
    "vscode-chat.json",
    "vscode-chat-log.jsonl",
    "copilot-replay.json",
    "zed.json",
    "cursor.json",
    "continue.json",
    "amp.json",
    "droid.jsonl",
    "claude-code.jsonl",
  ];
  assert.deepEqual(
    names.map((name) => readSession(fixture(name)).layout),
    [
      "cline",
      "cline",
      "cline-session",
      "vscode-chat",
      "vscode-chat-log",
      "copilot-replay",
      "zed",
      "cursor",
      "continue",
      "amp",
      "droid",
      "claude-code",
    ],
  );
});
