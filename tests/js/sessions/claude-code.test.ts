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

test("two sessions in one file are distinguished, and one is chosen", () => {
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
    message: /both\.jsonl contains 2 conversations of Claude Code: 1 \(a, 1 message\), 2 \(b/,
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

test("contents that are attached are blocks of the message before them, behind all of its results", () => {
  let at = 0;
  const line = (type: string, more: object) => {
    at += 1;
    return { type, uuid: `n${at}`, parentUuid: at === 1 ? null : `n${at - 1}`, sessionId: "s-2", ...more };
  };
  const attach = (attachment: object) => line("attachment", { attachment });
  const say = (content: unknown) => line("user", { message: { role: "user", content } });
  const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
  const file = { type: "text", file: { filePath: "/srv/a.ts", content: "one\ntwo", startLine: 7 } };
  const text = lines(
    attach({ type: "hook_additional_context", hookName: "SessionStart", content: ["Be brief."] }),
    attach({ type: "task_reminder", content: [] }),
    attach({ type: "agent_listing_delta", addedTypes: ["Explore"], addedLines: ["Explore: reads", "Plan: plans"] }),
    say("What is in @a.ts?"),
    attach({ type: "file", filename: "/srv/a.ts", content: file }),
    attach({
      type: "file",
      filename: "/srv/a.png",
      content: { type: "image", file: { base64: "iVBORw0KGgo=", type: "image/png" } },
    }),
    line("assistant", { message: { id: "m1", role: "assistant", content: [call("t1"), call("t2")] } }),
    say([result("t1")]),
    attach({ type: "nested_memory", path: "/srv/CLAUDE.md", content: { content: "Use tabs." } }),
    say([result("t2")]),
    attach({ type: "edited_text_file", filename: "/srv/a.ts", snippet: "7\tthree" }),
  );
  const session = readSession(text);
  const note = (words: string) => ({ type: "text", text: `<system-reminder>\n${words}\n</system-reminder>` });
  assert.deepEqual(session.messages, [
    {
      role: "user",
      content: [note("SessionStart hook additional context:\nBe brief."), note("Agents:\nExplore: reads\nPlan: plans")],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "What is in @a.ts?" },
        note('Called the Read tool with the following input: {"file_path":"/srv/a.ts"}'),
        note("Result of calling the Read tool:\n7\tone\n8\ttwo"),
        note('Called the Read tool with the following input: {"file_path":"/srv/a.png"}'),
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
    { role: "assistant", content: [call("t1"), call("t2")] },
    {
      role: "user",
      content: [
        result("t1"),
        result("t2"),
        note("Contents of /srv/CLAUDE.md:\nUse tabs."),
        note("/srv/a.ts was modified:\n7\tthree"),
      ],
    },
  ]);
  assert.deepEqual(
    session.entries.map(({ places, injected }) => `${places.join()}${injected ? "!" : ""}`),
    ["1,3!", "4,5,6", "7", "8,9,10,11"],
  );
  assert.deepEqual([session.turns, session.skipped[0]?.kind], [1, "attachment/task_reminder"]);
  assert.equal(sessions.writeSession(session, session.messages, text), text);
  const shorter = readSession(sessions.writeSession(session, session.messages.slice(1, 2), text));
  assert.deepEqual(shorter.messages, session.messages.slice(1, 2));
});

test("newer versions record system prompt, tools and the texts of what they attach", () => {
  const shape = (hash: string, name: string) => ({
    type: "api-request-shape",
    sessionId: "s-3",
    shapeHash: hash,
    shape: {
      system: [{ type: "text", text: `System of ${name}.` }],
      tools: [{ name, input_schema: { type: "object" } }],
    },
  });
  const asked = (shapeHash: string, querySource: string) => ({
    type: "api-request",
    sessionId: "s-3",
    shapeHash,
    querySource,
  });
  const own = { sessionId: "s-3", uuid: "u1", parentUuid: null };
  const file = { type: "text", file: { filePath: "/srv/a.ts", content: "one" } };
  const text = lines(
    { ...own, type: "user", message: { role: "user", content: "What is in @a.ts?" } },
    {
      ...own,
      type: "attachment",
      uuid: "u2",
      parentUuid: "u1",
      attachment: { type: "file", filename: "/srv/a.ts", content: file },
      rendered: [{ content: "<system-reminder>\nThe call.\n</system-reminder>" }, { content: "The file." }],
    },
    shape("h1", "Read"),
    asked("h1", "repl_main_thread:outputStyle:Concise"),
    shape("h2", "Title"),
    asked("h2", "generate_session_title"),
  );
  const session = readSession(text);
  const { system, messages, tools } = sessions.sessionRequest(session) as Record<string, unknown>;
  assert.equal(system, "System of Read.");
  assert.deepEqual(tools, [{ name: "Read", input_schema: { type: "object" } }]);
  const parts = ["What is in @a.ts?", "<system-reminder>\nThe call.\n</system-reminder>", "The file."];
  assert.deepEqual(messages, [{ role: "user", content: parts.map((words) => ({ type: "text", text: words })) }]);
  assert.equal(sessions.writeSession(session, session.messages, text), text);
});

test("instructions and context of newer versions are contents that the model received", () => {
  const own = { sessionId: "s-4", type: "attachment" };
  const rendered = "<system-reminder>\nContents of /srv/CLAUDE.md:\n\nUse tabs.\n</system-reminder>";
  const files = [{ path: "/srv/CLAUDE.md", type: "Project", content: "Use tabs." }];
  const read = (isRendered: boolean) =>
    readSession(
      lines(
        { ...own, uuid: "u1", parentUuid: null, type: "user", message: { role: "user", content: "Go on." } },
        {
          ...own,
          uuid: "u2",
          parentUuid: "u1",
          attachment: { type: "instructions", files },
          ...(isRendered && { rendered: [{ content: rendered }], renderedRole: "user" }),
        },
        {
          ...own,
          uuid: "u3",
          parentUuid: "u2",
          attachment: { type: "session_context", context: { gitStatus: "On main." } },
        },
      ),
    );
  for (const session of [read(true), read(false)]) {
    const context = "<system-reminder>\n# gitStatus\nOn main.\n</system-reminder>";
    const content = ["Go on.", rendered, context].map((text) => ({ type: "text", text }));
    assert.deepEqual([session.messages, session.turns], [[{ role: "user", content }], 1]);
  }
});

test("results behind a compaction are not those of the message before it", () => {
  const results = (id: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: "ok" }],
  });
  const line = (uuid: string, more: object) => ({ uuid, sessionId: "s-3", ...more });
  const { history, messages } = readSession(
    lines(
      line("a", { type: "user", message: { role: "user", content: "Go." } }),
      line("b", { type: "user", message: results("t1") }),
      line("c", { type: "system", subtype: "compact_boundary" }),
      line("d", { type: "user", message: results("t2") }),
    ),
  );
  assert.deepEqual([history.length, messages], [3, [results("t2")]]);
});

test("a record on the line of a torn one is read, and can be removed", () => {
  const say = (uuid: string, role: string, words: string) =>
    JSON.stringify({
      parentUuid: null,
      uuid,
      sessionId: "s-4",
      type: role,
      message: { id: `m-${uuid}`, role, content: [{ type: "text", text: words }] },
    });
  const torn = say("a2", "assistant", "I look at {cart}.").slice(0, -25);
  const text = `${say("a1", "user", "Go.")}\n${torn}${say("a3", "user", "Again.")}\n${say("a4", "assistant", "Yes.")}\n`;
  const session = readSession(text);
  const words = (messages: readonly unknown[]) =>
    (messages as { content: { text: string }[] }[]).map(({ content }) => content[0]!.text);
  assert.deepEqual(words(session.messages), ["Go.", "Again.", "Yes."]);
  const message = "the line begins with an incomplete record, which is left out";
  assert.deepEqual(session.problems, [{ line: 2, message }]);
  assert.equal(sessions.writeSession(session, session.messages, text), text);
  const left = session.messages.filter((_, at) => at !== 1);
  assert.deepEqual(words(readSession(sessions.writeSession(session, left, text)).messages), ["Go.", "Yes."]);
  const whole = readSession(`${say("a1", "user", "Go.")}${say("a3", "user", "Again.")}\n${say("a4", "user", "Yes.")}`);
  assert.deepEqual([words(whole.messages), whole.problems], [["Go.", "Again.", "Yes."], []]);
});
