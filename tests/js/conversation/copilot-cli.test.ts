/**
 * Copilot CLI's way over a whole conversation: what is in flight while it is summarised, and what a request does
 * without a job.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import type { Trigger } from "../../../js/types/compact.ts";
import type { ConversationOptions } from "../../../js/conversation/types.ts";
import { SUMMARY, answered, begin, heard, model, rest, round, sound } from "./support.ts";
import type { Fields } from "./support.ts";

const LIMIT = 6_000;
const open = (options: Partial<ConversationOptions<Fields>> = {}) =>
  espalier.openConversation<Fields>({
    format: "openai-chat",
    profile: "copilot-cli",
    model: { name: "gpt-4o", maxPromptTokens: LIMIT },
    entropy: 7,
    ...options,
  });
type Opened = Awaited<ReturnType<typeof open>>;
let next = 0;
const fill = (conversation: Opened, ratio: number) => {
  while (conversation.usage().ratio < ratio) conversation.append(round(next++, 10));
};

const said = { role: "assistant", content: "The parser compiles now." };
const calling = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "flight", type: "function", function: { name: "bash", arguments: '{"command":"make check"}' } }],
};
const result = { role: "tool", tool_call_id: "flight", content: "all of it is green" };
/** What is there when the summary is begun, what comes while it is written, and what after it is in use. */
const FLIGHTS: [string, before: Fields[], meanwhile: Fields[], after: Fields[]][] = [
  ["a text", [], [said], []],
  ["a text, and what the user says to it", [], [said, { role: "user", content: "And the tests?" }], []],
  ["a call", [], [calling], [result]],
  ["a call and its result", [], [calling, result], []],
  ["the result of a call that was made before", [calling], [result], []],
  ["the result of a call that was made before, later still", [calling], [], [result]],
];

for (const [what, before, meanwhile, after] of FLIGHTS) {
  test(`copilot-cli: in flight while it is summarised: ${what}`, async () => {
    const { llm, calls } = model();
    const conversation = await open({ llm });
    conversation.append(begin());
    fill(conversation, 0.7);
    conversation.append(before);
    // The agent asks for it, maybe in the middle of its own calls.
    assert.equal(conversation.agentRequest(), 1);
    await rest();
    conversation.append(meanwhile);
    calls[0]!.answer(SUMMARY);
    await rest();
    const { messages, report } = await conversation.prepare();
    assert.deepEqual(
      report.compactions.map(({ status, trigger }) => [status, trigger]),
      [["applied", "agent_request" satisfies Trigger]],
    );
    const flying = [...before, ...meanwhile];
    // A call that has no answer yet is the host's to answer; whatever was in flight is its own object, in order, at the
    // end.
    if (flying.at(-1) !== calling) sound(messages, LIMIT);
    assert.deepEqual(messages.slice(-flying.length), flying);
    messages.slice(-flying.length).forEach((message, at) => assert.equal(message, flying[at]));
    // Before it: the system message, one message of requests and summary, the newest request.
    const [system, record, request] = messages as [Fields, Fields, Fields];
    assert.deepEqual([system["role"], record["role"]], ["system", "user"]);
    for (const piece of [
      "<user_message>\nFix the parser, never touch the lexer.",
      "<summary>",
      "The parser is being fixed",
    ])
      assert.ok(String(record["content"]).includes(piece), piece);
    assert.deepEqual(request, begin()[1]);
    assert.ok(!JSON.stringify(record).includes("all of it is green"));
    conversation.append(after);
    const later = await conversation.prepare();
    sound(later.messages, LIMIT);
    assert.deepEqual(later.messages.slice(0, messages.length), messages, "what came later is behind it");
    assert.deepEqual(later.messages.slice(messages.length), after);
    await conversation.dispose();
  });
}

test("copilot-cli, no job: behind a refusal for its length the request waits for a summary and has it, however little is used", async () => {
  for (const error of [
    { status: 413, message: "" },
    {
      status: 400,
      message: "prompt token count of 4900 exceeds the limit of 4000",
      code: "model_max_prompt_tokens_exceeded",
    },
  ]) {
    const { llm, calls } = model();
    const conversation = await open({ llm });
    const events = heard(conversation);
    conversation.append(begin());
    fill(conversation, 0.6);
    const {
      report: { usage, job },
    } = await conversation.prepare();
    assert.deepEqual([usage.ratio < 0.8, job, calls.length], [true, undefined, 0]);
    assert.equal(conversation.contextRefused(error).action, "retry");
    let isOver = false;
    const pending = conversation.prepare().then((done) => ((isOver = true), done));
    await rest();
    assert.deepEqual([isOver, calls.length], [false, 1], "it waits");
    const { messages, report } = await answered(calls, pending);
    assert.deepEqual(
      report.compactions.map(({ status, trigger }) => [status, trigger]),
      [["applied", "provider_error" satisfies Trigger]],
    );
    sound(messages, conversation.usage().limit);
    assert.equal(events.filter(({ type }) => type === "compaction_start").length, 1);
    // It is over with that.
    fill(conversation, 0.6);
    assert.deepEqual((await conversation.prepare()).report.compactions, []);
    await conversation.dispose();
  }
});

test("copilot-cli, no job: with too few messages a request goes on, however full it is", async () => {
  const long = (role: string, share: number) => ({ role, content: "word ".repeat(Math.floor(LIMIT * share)) });
  const { llm, calls } = model();
  const conversation = await open({ llm, model: { name: "gpt-4o", maxPromptTokens: LIMIT } });
  const events = heard(conversation);
  conversation.append([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Go." },
    long("assistant", 0.85),
  ]);
  const { messages, report } = await conversation.prepare();
  await rest();
  assert.ok(report.usage.ratio >= 0.8 && report.usage.ratio < 0.95, String(report.usage.ratio));
  assert.equal(messages.length, 3);
  assert.deepEqual([calls.length, report.compactions, conversation.edits()], [0, [], []]);
  assert.ok(events.every((event) => event.type !== "compaction_complete" || !event.success));
  // The system message counts.
  conversation.append({ role: "user", content: "Go on." });
  const {
    report: { job },
  } = await conversation.prepare();
  await rest();
  assert.deepEqual([typeof job, calls.length], ["number", 1]);
  await conversation.dispose();
});
