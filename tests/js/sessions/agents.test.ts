/** SWE-agent, aider, Letta, goose, Kimi: one fixture each, with the traps of its layout. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, fixture, lines, outline, sessions, unpaired, usageRows } from "./sessions.ts";

const { readSession } = sessions;
const injected = ({ entries }: { entries: { injected?: true }[] }) =>
  entries.flatMap((entry, at) => (entry.injected ? [at] : []));

test("SWE-agent: results name their call in a list, demonstrations are no requests", () => {
  const text = fixture("swe-agent.traj");
  const session = readSession(text);
  check(session, { layout: "swe-agent", format: "openai-chat", model: "gpt-4o", version: "1.1.0" });
  assert.deepEqual(outline(session), [
    "system text",
    "user text",
    "user text",
    "assistant call:c1",
    "tool result:c1",
    "assistant text call:c2",
  ]);
  assert.deepEqual([unpaired(session), injected(session)], [["call c2"], [1]]);
  assert.deepEqual(session.messages[4], { role: "tool", tool_call_id: "c1", content: "export const total = 1;" });
  const both = lines(JSON.parse(text), JSON.parse(text));
  assert.throws(() => readSession(both), { code: "several_sessions" });
});

test("ATIF: steps hold calls and their results; observations without a call are the user's", () => {
  const text = fixture("atif.json");
  const session = readSession(text);
  check(session, { layout: "atif", format: "openai-chat", id: "run-7", version: "terminus-2 2.0.0" });
  assert.equal(session.model, "anthropic/claude-sonnet-4-6");
  assert.deepEqual(outline(session), [
    "system text",
    "user text",
    "assistant reasoning text call:c1 call:c2",
    "tool result:c2",
    "tool result:c1",
    "assistant text",
    "user text",
    "user text",
    "assistant text",
  ]);
  const [, asked, answer, , result] = session.messages as Record<string, unknown>[];
  assert.equal(asked!["content"], "Why does the build fail?\n[image: images/build.png]");
  assert.equal(answer!["reasoning_content"], "Run it first.");
  assert.deepEqual(result, { role: "tool", tool_call_id: "c1", content: "error: no rule\nexit code 2" });
  assert.deepEqual([unpaired(session), injected(session), session.turns, session.tools?.length], [[], [6, 7], 1, 1]);
  assert.deepEqual(
    session.usage.map(({ answer, usage, model }) => [answer, usage.promptTotal, usage.cacheRead, usage.output, model]),
    [
      [2, 900, 300, 40, "anthropic/claude-opus-4-7"],
      [5, 1000, 0, 12, undefined],
    ],
  );
  const [side] = session.sideChains;
  assert.deepEqual([side?.id, side?.kind, side?.call], ["sub-1", "subagent", "c2"]);
  assert.deepEqual(outline(readSession(text, { sideChain: "sub-1" })), ["user text", "assistant text"]);
  assert.throws(() => readSession(lines(JSON.parse(text), JSON.parse(text))), { code: "several_sessions" });
});

test("mini-swe-agent: outputs of commands are texts of the user, and no requests", () => {
  const messages = ["system", "user", "assistant", "user", "exit"].map((role) => ({
    role,
    content: role,
    extra: { response: { model: "m", usage: { prompt_tokens: 9, completion_tokens: 2 } } },
  }));
  const session = readSession(
    JSON.stringify({
      info: { exit_status: "Submitted", config: { model: { model_name: "m" } } },
      messages,
      trajectory_format: "mini-swe-agent-1",
    }),
  );
  check(session, { layout: "swe-agent", model: "m" });
  assert.deepEqual(
    [session.messages.length, injected(session), session.usage.map(({ answer }) => answer)],
    [4, [3], [2]],
  );
});

test("SWE-agent: steps alone are read from the newest request, and results without an id answer the first open call", () => {
  const query = [
    { role: "system", content: "S" },
    { role: "user", content: "Fix it." },
  ];
  const calls = [{ id: "c1", type: "function", function: { name: "open", arguments: "{}" } }];
  const steps = {
    environment: "main",
    trajectory: [
      { query: query.slice(0, 1) },
      { query, response: "I open it.", tool_calls: calls, observation: "export" },
    ],
  };
  const session = readSession(JSON.stringify(steps));
  assert.deepEqual(
    [outline(session), unpaired(session)],
    [["system text", "user text", "assistant text call:c1", "tool result:c1"], []],
  );
});

test("aider: sessions of one file, commands, answers with lines of the tool between", () => {
  const text = fixture("aider.md");
  assert.throws(() => readSession(text), {
    code: "several_sessions",
    message: /1 \(2026-01-05 10:00:00, 6 messages\), 2 \(2026-01-07 09:00:00, 2 messages\)/,
  });
  const session = readSession(text, { conversation: 1 });
  check(session, {
    layout: "aider",
    format: "openai-chat",
    version: "0.86.0",
    model: "claude-sonnet-4-5",
    title: "2026-01-05 10:00:00",
  });
  assert.deepEqual(session.history, [
    { role: "user", content: "Why do the totals differ?\nLook at the tax, too." },
    { role: "assistant", content: "The cart rounds twice.\n\nThe tax is right." },
    { role: "user", content: "what about tests?" },
    { role: "assistant", content: "There are none." },
    { role: "user", content: "Write one." },
    { role: "assistant", content: "Done." },
  ]);
  assert.deepEqual(session.messages, session.history.slice(4));
  assert.deepEqual(usageRows(session), [
    [1, 1100, 1000, 500, 120],
    [3, 3000, 0, 0, 40],
  ]);
  assert.deepEqual(session.entries[1]?.places, [14, 18]);
  const early =
    "# aider chat started at 2026\n\n> Models: gpt-4o with whole edit format  \n> Here are summaries.\nLICENSE.txt\n\n#### hi  \n####   \n#### there  \n\nHello.\n";
  check(readSession(early), {
    model: "gpt-4o",
    messages: [
      { role: "user", content: "hi\n\nthere" },
      { role: "assistant", content: "Hello." },
    ],
  });
  assert.throws(() => readSession("# Notes\n\nText with a heading.\n#### And another\n"), {
    code: "unknown_session",
  });
});

test("Letta: only messages in context are live", () => {
  const text = fixture("letta.af");
  for (const file of [text, JSON.stringify(text)]) {
    const session = readSession(file);
    check(session, { layout: "letta", format: "openai-chat", title: "Ada", model: "gpt-4o", window: 32000 });
    assert.deepEqual(outline({ ...session, messages: session.history }), [
      "system text",
      "user text",
      "assistant call:c0",
      "tool result:c0",
      "user text",
      "assistant text call:c1",
      "tool result:c1",
    ]);
    assert.deepEqual(outline(session), [
      "system text",
      "user text",
      "user text",
      "assistant text call:c1",
      "tool result:c1",
    ]);
    assert.match(session.compactions[0]!.summary!, /an old question/);
    assert.deepEqual([session.compactions[0]!.before, session.tools?.length, unpaired(session)], [4, 1, []]);
  }
});

test("Letta: calls that wait for approval, results of parallel calls, and summaries of the role summary", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "LS", arguments: '{"path":"."}' } });
  const returned = (id: string, status: string) => ({ tool_call_id: id, status, func_response: `${id} ${status}` });
  const say = (role: string, words: string) => ({ role, content: [{ type: "text", text: words }] });
  const old = { type: "system_alert", message: "The following is a summary of the previous messages: a shop." };
  const messages = [
    say("system", "You are Ada."),
    say("user", "Hello."),
    say("summary", JSON.stringify(old)),
    say("user", "What is here?"),
    { role: "approval", content: [{ type: "reasoning", reasoning: "I look." }], tool_calls: [call("c1"), call("c2")] },
    { role: "approval", content: [], approvals: [returned("c1", "success"), returned("c2", "success")] },
    {
      role: "tool",
      content: [],
      tool_call_id: "c1",
      tool_returns: [returned("c1", "success"), returned("c2", "success")],
    },
    { role: "approval", content: [], tool_calls: [call("c3")] },
    { role: "approval", content: [], approvals: [{ type: "approval", tool_call_id: "c3", approve: false }] },
    { role: "tool", content: [], tool_call_id: "c3", tool_returns: [returned("c3", "error")] },
    say("assistant", "A shop."),
  ].map((message, at) => ({ id: `m${at}`, ...message }));
  const live = messages.map(({ id }) => id).filter((id) => id !== "m1");
  const session = readSession(JSON.stringify({ agents: [{ name: "Ada", in_context_message_ids: live, messages }] }));
  assert.deepEqual(outline(session), [
    "system text",
    "user text",
    "user text",
    "assistant call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant call:c3",
    "tool result:c3",
    "assistant text",
  ]);
  assert.deepEqual(unpaired(session), []);
  assert.deepEqual(
    session.history.flatMap((message) => {
      const { role, content } = message as { role: string; content: string };
      return role === "tool" ? [content] : [];
    }),
    ["c1 success", "c2 success", "c3 error"],
  );
  assert.match(session.compactions[0]!.summary!, /a shop/);
  assert.deepEqual([session.turns, session.skipped[0]?.count], [2, 2]);
});

test("goose: what the agent no longer sees was compacted, and its summary is no request", () => {
  const session = readSession(fixture("goose.jsonl"));
  check(session, { layout: "goose", format: "anthropic", cwd: "/srv/shop", title: "Rounding" });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text",
    "assistant text",
    "user text",
    "assistant reasoning call:c1 call:c2",
    "user result:c1 result:c2",
    "assistant text",
  ]);
  assert.deepEqual(outline(session), [
    "user text",
    "user text",
    "assistant reasoning call:c1 call:c2",
    "user result:c1 result:c2",
    "assistant text",
  ]);
  assert.deepEqual(
    session.compactions.map(({ before, summary, place }) => [before, summary, place]),
    [[2, "There was an old question.", 4]],
  );
  assert.deepEqual((session.history[4] as { content: unknown[] }).content, [
    { type: "tool_result", tool_use_id: "c1", content: "cart.ts" },
    { type: "tool_result", tool_use_id: "c2", content: "bad arguments", is_error: true },
  ]);
  const conversation = fixture("goose.jsonl")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as object);
  assert.equal(
    readSession(JSON.stringify({ id: "20260105_1", working_dir: "/srv/shop", name: "Rounding", conversation })).history
      .length,
    6,
  );
});

test("goose: a message that is hidden from the agent is no compaction", () => {
  const said = (role: string, words: string, metadata?: object) => ({
    role,
    created: 1_790_848_800,
    content: [{ type: "text", text: words }],
    ...(metadata && { metadata }),
  });
  const session = sessions.readSession(
    lines(
      { working_dir: "/srv", message_count: 3 },
      said("user", "Fix the retry loop."),
      said("assistant", "Done."),
      said("user", "For me only.", { userVisible: true, agentVisible: false }),
    ),
  );
  assert.deepEqual([session.messages.length, session.compactions.length], [2, 0]);
  assert.deepEqual(session.skipped, [{ kind: "message hidden from the agent", count: 1 }]);
});

test("goose: pieces of a stream are joined, and usage is that of the answer", () => {
  const piece = (text: string, more = {}) => ({
    type: "message",
    message: { id: "m1", role: "assistant", created: 2, content: [{ type: "text", text }], metadata: more },
  });
  const call = {
    type: "message",
    message: {
      id: "m1",
      role: "assistant",
      created: 2,
      content: [
        { type: "toolRequest", id: "c1", toolCall: { status: "success", value: { name: "ls", arguments: {} } } },
      ],
    },
  };
  const session = readSession(
    lines(
      { type: "message", message: { role: "user", created: 1, content: [{ type: "text", text: "Hi" }] } },
      piece("One", { usage: { inputTokens: 100, outputTokens: 8, cacheReadTokens: 90 } }),
      piece(" two"),
      call,
    ),
  );
  assert.deepEqual(outline(session), ["user text", "assistant text call:c1"]);
  assert.deepEqual(
    session.usage.map(({ answer, usage: { input, cacheRead } }) => [answer, input, cacheRead]),
    [[1, 10, 90]],
  );
});

test("Kimi: the wire's steps are answers, compactions keep messages of the user, undo takes back", () => {
  const session = readSession(fixture("kimi.jsonl"));
  check(session, { layout: "kimi", format: "openai-chat" });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "system text",
    "user text",
    "user text",
    "assistant reasoning text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant text",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual([unpaired(session), injected(session)], [[], [2]]);
  assert.deepEqual(
    (session.messages as { content: string }[]).map(({ content }) => content),
    ["You are Kimi.", "Why do the totals differ?", "The cart rounds twice.", "Fix the rounding.", "Done."],
  );
  assert.deepEqual(
    session.compactions.map(({ before, tokensBefore, tokensAfter }) => [before, tokensBefore, tokensAfter]),
    [[7, 1055, 80]],
  );
  assert.deepEqual(
    session.usage.map(({ answer, usage: { promptTotal, output } }) => [answer, promptTotal, output]),
    [
      [3, 1010, 60],
      [6, 1050, 5],
      [8, 90, 3],
    ],
  );
});

test("Kimi: newer versions write the prompt with the profile, and the tools that are sent", () => {
  const parameters = { type: "object", properties: {} };
  const session = readSession(
    lines(
      { type: "metadata", protocol_version: "1.4" },
      { type: "profile.bind", agentId: "main", modelAlias: "kimi-code/k3", systemPrompt: "You are Kimi." },
      { type: "llm.tools_snapshot", hash: "a", tools: [{ name: "Old" }] },
      { type: "llm.tools_snapshot", hash: "b", tools: [{ name: "Read", description: "Reads.", parameters }] },
      { type: "llm.tools_snapshot", hash: "c", tools: "trimmed" },
      { type: "context.append_message", message: { role: "user", content: [{ type: "text", text: "Hi" }] } },
    ),
  );
  assert.deepEqual(session.messages, [
    { role: "system", content: "You are Kimi." },
    { role: "user", content: "Hi" },
  ]);
  assert.deepEqual(session.tools, [
    { type: "function", function: { name: "Read", description: "Reads.", parameters } },
  ]);
  assert.deepEqual([session.model, session.skipped.length], ["kimi-code/k3", 2]);
});

test("Kimi: the older file holds messages between records of the tool", () => {
  const session = readSession(
    lines(
      { role: "_checkpoint", id: 0 },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: [{ type: "think", think: "x" }],
        tool_calls: [{ type: "function", id: "c1", function: { name: "Shell", arguments: "{}" } }],
      },
      { role: "_usage", token_count: 900 },
      { role: "tool", content: [{ type: "text", text: "ok" }], tool_call_id: "c1" },
    ),
  );
  assert.deepEqual(outline(session), ["user text", "assistant call:c1", "tool result:c1"]);
  assert.throws(() => readSession(lines({ role: "user", content: "Hi" }, { role: "assistant", content: "Ho" })), {
    code: "unknown_session",
  });
});

test("hostile values do not break them", () => {
  const files = [
    JSON.stringify({
      history: [
        { role: "tool", tool_call_ids: 7 },
        { role: "assistant", tool_calls: [7, {}] },
      ],
      trajectory: [],
    }),
    JSON.stringify({
      agents: [
        { messages: [7, { role: "tool" }, { role: "user", content: "{" }], in_context_message_ids: 7, tools: [{}] },
      ],
    }),
    lines(
      { working_dir: "/" },
      { role: "user", created: 1, content: [{ type: "toolResponse", id: "c" }] },
      { role: 7 },
      [7],
    ),
    lines(
      { type: "context.append_message", message: 7 },
      { type: "context.append_loop_event", event: { type: "tool.call", toolCallId: "c" } },
      { type: "context.undo", count: "x" },
    ),
  ];
  for (const file of files) assert.ok(readSession(file).messages.length <= 2);
});

test("Mistral Vibe: a message a line; the older file has all in one", () => {
  const text = fixture("mistral-vibe.jsonl");
  const session = readSession(text);
  check(session, { layout: "mistral-vibe", format: "openai-chat" });
  const expected = [
    "user text",
    "assistant reasoning text call:AbC123xyz call:DeF456uvw",
    "tool result:AbC123xyz",
    "tool result:DeF456uvw",
    "user text",
    "assistant text",
  ];
  assert.deepEqual(outline(session), expected);
  assert.deepEqual([unpaired(session), injected(session), session.turns], [[], [4], 1]);
  assert.ok(!JSON.stringify(session.messages).includes("message_id"));
  const metadata = {
    session_id: "s-1",
    title: "The build",
    environment: { working_directory: "/srv/app" },
    agent_config: { active_model: "devstral-2" },
    tools_available: [{ type: "function", function: { name: "bash", description: "Runs.", parameters: {} } }],
  };
  const messages = text
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const older = readSession(JSON.stringify({ metadata, messages }, undefined, 2));
  check(older, { layout: "mistral-vibe", id: "s-1", cwd: "/srv/app", model: "devstral-2", title: "The build" });
  assert.deepEqual([outline(older), older.tools?.length], [expected, 1]);
});

test("Hermes: what is active of an exported session, as it was sent; snapshots; the newest segment of a lineage", () => {
  const text = fixture("hermes.jsonl");
  const session = readSession(text);
  check(session, { layout: "hermes", format: "openai-chat", id: "20260926_101500_ab12cd", cwd: "/srv/app" });
  assert.equal(session.model, "anthropic/claude-sonnet-4-6");
  const asked = [
    "user text",
    "assistant reasoning text call:call_1 call:call_2",
    "tool result:call_1",
    "tool result:call_2",
    "assistant text",
  ];
  assert.deepEqual(outline(session), ["system text", "user text", ...asked]);
  assert.deepEqual([unpaired(session), injected(session), session.turns], [[], [1], 1]);
  assert.deepEqual(
    session.skipped.map(({ kind }) => kind),
    ["inactive message"],
  );
  assert.match(JSON.stringify(session.messages[2]), /memory-context/);
  const one = JSON.parse(text) as { messages: Record<string, unknown>[] };
  const calls = (row: Record<string, unknown>) => ({
    ...row,
    tool_calls: row["tool_calls"] && JSON.stringify(row["tool_calls"]),
  });
  const asText = { ...one, messages: one.messages.map(calls) };
  assert.deepEqual(outline(readSession(JSON.stringify(asText))), outline(session));
  const segments = [one, { ...one, messages: one.messages.slice(2) }];
  const lineage = readSession(
    JSON.stringify({ ...one, segments, messages: segments.flatMap(({ messages }) => messages) }),
  );
  assert.deepEqual(outline(lineage), ["system text", ...asked]);
  assert.throws(() => readSession(lines(one, { ...one, id: "other" })), { code: "several_sessions" });
  const { messages } = readSession(
    JSON.stringify({
      session_id: "20260926_101500_ab12cd",
      model: "hermes-4",
      base_url: "https://example.com/v1",
      platform: "cli",
      session_start: "2026-09-26T10:15:00",
      message_count: 2,
      messages: [
        { role: "session_meta", tools: [] },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello", reasoning: null, finish_reason: "stop" },
      ],
    }),
  );
  assert.deepEqual(messages, [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
  ]);
});
