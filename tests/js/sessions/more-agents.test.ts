/** Kiro, Inspect AI, OpenTelemetry, Crush and mini-swe-agent on the Responses API: the forms that their sources define. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, fixture, lines, outline, sessions, unpaired, usageRows } from "./sessions.ts";

const { readSession } = sessions;
const injected = ({ entries }: { entries: { injected?: true }[] }) =>
  entries.flatMap((entry, at) => (entry.injected ? [at] : []));

// `LogEntryV1` of crates/agent/src/agent/event_log.rs; records as a real session of 2.24.1 has them.
test("Kiro: thoughts, pictures and results in their form, cancelled prompts, what a compaction kept", () => {
  const text = fixture("kiro.jsonl");
  const session = readSession(text);
  check(session, { layout: "kiro", format: "anthropic", model: "claude-opus-5.5", turns: 3 });
  assert.deepEqual(outline({ ...session, messages: session.history }), [
    "user text image",
    "assistant reasoning call:t1 call:t2",
    "user result:t1 result:t2",
    "assistant reasoning text",
    "user text",
    "assistant text",
    "user text",
  ]);
  assert.deepEqual(unpaired({ ...session, messages: session.history }), []);
  const [asked, answer, results] = session.history as { content: Record<string, unknown>[] }[];
  assert.deepEqual(asked!.content[1]!["source"], { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" });
  assert.deepEqual(answer!.content[0], { type: "redacted_thinking", data: "Lks=" });
  assert.deepEqual(results!.content[1], {
    type: "tool_result",
    tool_use_id: "t2",
    content: [{ type: "text", text: "User denied tool execution" }],
    is_error: true,
  });
  assert.match(JSON.stringify(results!.content[0]), /a comma is missing/);
  const [summary, ...rest] = session.messages;
  assert.match(JSON.stringify(summary), /SUMMARY CONTENT:.*Fix the build/);
  assert.deepEqual(rest, session.history.slice(4));
  assert.ok(rest.every((message, at) => message === session.history[4 + at]));
  assert.equal(session.entries[0]!.time, 1_790_509_942_000);
  const cleared = readSession(`${text}${lines({ version: "v1", kind: "Clear" })}`);
  assert.deepEqual([cleared.messages, cleared.history.length], [[], 7]);
  assert.equal(readSession(text, { history: false }).messages.length, 4);
  const settings = { session_id: "s", cwd: "/srv", session_state: { conversation_metadata: {} } };
  assert.throws(() => readSession(JSON.stringify(settings)), { code: "no_conversation", message: /\.jsonl/ });
});

// `EvalSample` of src/inspect_ai/log/_log.py and walk_content of log/_condense.py.
test("Inspect AI: samples of a log, or one sample; attachments, errors of tools, what a solver adds", () => {
  const text = fixture("inspect.json");
  const session = readSession(text);
  check(session, { layout: "inspect", format: "openai-chat", id: "u-1", model: "claude-sonnet-4-6", turns: 1 });
  assert.deepEqual(outline(session), [
    "system text",
    "user text image",
    "assistant reasoning text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "user text",
    "assistant text",
  ]);
  assert.deepEqual([unpaired(session), injected(session), session.title], [[], [5], "build, fix-1, epoch 1"]);
  assert.match(JSON.stringify(session.messages[1]), /data:image\/png;base64,iVBOR/);
  assert.match(JSON.stringify(session.messages[4]), /Command timed out/);
  assert.deepEqual(usageRows(session), [[6, 20, 100, 0, 7]]);
  const log = JSON.parse(text) as { samples: Record<string, unknown>[] };
  const [sample] = log.samples;
  assert.deepEqual(readSession(JSON.stringify(sample)).messages, session.messages);
  const twice = JSON.stringify({ ...log, samples: [sample, { ...sample, epoch: 2 }] });
  assert.throws(() => readSession(twice), { code: "several_sessions", message: /fix-1, epoch 2, 7 messages/ });
  assert.deepEqual(readSession(twice, { conversation: 2 }).messages, session.messages);
});

// gen-ai-input-messages.json and gen-ai-spans.md (open-telemetry/semantic-conventions-genai).
test("OpenTelemetry: the longest request of a conversation with its answer, as OTLP or as spans of an SDK", () => {
  const text = fixture("otel.json");
  const session = readSession(text);
  check(session, { layout: "otel", format: "openai-chat", id: "conv_1", model: "gpt-5.4-2026-03-05", turns: 1 });
  const wanted = [
    "system text",
    "user text",
    "assistant reasoning text call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant text",
  ];
  assert.deepEqual([outline(session), unpaired(session)], [wanted, []]);
  assert.deepEqual([usageRows(session), session.tools?.length], [[[5, 20, 100, 0, 7]], 1]);
  assert.deepEqual(
    session.skipped.map(({ kind, count }) => [kind, count]),
    [["shorter request", 1]],
  );
  const input = [
    {
      role: "user",
      parts: [
        { type: "text", content: "Hi" },
        { type: "uri", modality: "image", uri: "https://e.org/a.png" },
      ],
    },
  ];
  const output = [{ role: "assistant", parts: [{ type: "text", content: "Hello" }], finish_reason: "stop" }];
  const span = (trace: string) => ({
    name: "chat",
    context: { trace_id: trace, span_id: "s" },
    attributes: { "gen_ai.input.messages": input, "gen_ai.output.messages": JSON.stringify(output) },
  });
  assert.deepEqual(outline(readSession(lines(span("a")))), ["user text image", "assistant text"]);
  assert.throws(() => readSession(lines(span("a"), span("b"))), { code: "several_sessions" });
});

// `sessionShowOutput` and `convertParts` of internal/cmd/session.go (charmbracelet/crush).
test("Crush: the output of session show --json", () => {
  const session = readSession(fixture("crush.json"));
  check(session, {
    layout: "crush",
    format: "openai-chat",
    id: "0b1f-9",
    model: "claude-sonnet-4-6",
    title: "The build",
  });
  assert.deepEqual(outline(session), [
    "user text",
    "assistant reasoning call:c1 call:c2",
    "tool result:c1",
    "tool result:c2",
    "assistant text",
  ]);
  assert.deepEqual([unpaired(session), session.turns], [[], 1]);
  assert.deepEqual(session.messages[0], { role: "user", content: "Why does the build fail?\n[image/png]" });
});

// query() of src/minisweagent/models/litellm_response_model.py and format_toolcall_observation_messages of
// models/utils/actions_toolcall_response.py: such files were of no known tool.
test("mini-swe-agent on the Responses API: whole responses as their items, with usage", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "bash", arguments: '{"command":"pwd"}' };
  const said = (text: string) => ({
    type: "message",
    role: "assistant",
    id: "msg_1",
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 25 }, output_tokens: 40 };
  const response = (...output: unknown[]) => ({
    id: "resp_1",
    object: "response",
    model: "gpt-5.5",
    usage,
    output,
    extra: { actions: [] },
  });
  const messages = [
    { role: "system", content: "You fix." },
    { role: "user", content: "Fix it." },
    response({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }, call),
    { type: "function_call_output", call_id: "call_1", output: "/app\n", extra: { returncode: 0 } },
    response(said("Done.")),
    { type: "message", role: "user", content: [{ type: "input_text", text: "Call a tool." }], extra: {} },
    { role: "exit", content: "", extra: { exit_status: "Submitted" } },
  ];
  const info = { mini_version: "2.2.8", config: { model: { model_name: "openai/gpt-5.5" } } };
  const session = readSession(
    JSON.stringify({ info, messages, trajectory_format: "mini-swe-agent-1.1" }, undefined, 2),
  );
  check(session, { layout: "swe-agent", format: "openai-responses", model: "openai/gpt-5.5", version: "2.2.8" });
  assert.deepEqual([unpaired(session), injected(session), session.turns], [[], [6], 1]);
  assert.deepEqual(usageRows(session), [
    [3, 75, 25, 0, 40],
    [5, 75, 25, 0, 40],
  ]);
  assert.deepEqual(session.messages[4], { type: "function_call_output", call_id: "call_1", output: "/app\n" });
});

// litellm's message of an answer, which both agents send back; `thinking_blocks` in SWE-agent's history.
test("SWE-agent and mini-swe-agent: thoughts that are sent back are counted", () => {
  const run = (thoughts: Record<string, unknown>) =>
    readSession(
      JSON.stringify({
        info: { exit_status: "Submitted" },
        messages: [
          { role: "user", content: "Fix it." },
          { role: "assistant", content: "Done.", ...thoughts },
        ],
        trajectory_format: "mini-swe-agent-1.1",
      }),
    );
  const blocks = run({ thinking_blocks: [{ type: "thinking", thinking: "A typo.", signature: "s" }] });
  assert.deepEqual(blocks.messages[1], { role: "assistant", content: "Done.", reasoning_content: "A typo." });
  assert.deepEqual(run({ reasoning_content: "A typo." }).messages, blocks.messages);
});

test("Kimi CLI: wire.jsonl names the file that has the conversation", () => {
  const wire = lines(
    { type: "metadata", protocol_version: "1.3" },
    { timestamp: 1_770_983_400, message: { type: "TurnBegin", payload: { user_input: "hello" } } },
    { timestamp: 1_770_983_410, message: { type: "ContentPart", payload: { type: "text", text: "Hi." } } },
  );
  assert.throws(() => readSession(wire), { code: "no_conversation", message: /context\.jsonl/ });
});
