/**
 * Fields that providers refuse in a message, such as those of a whole answer, and system messages between the others.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";

const { openConversation, prune, repair, validate } = espalier;
const user = (content: string) => ({ role: "user" as const, content });
const said = { role: "assistant" as const, content: [{ type: "text", text: "Hi." }] };
/** An answer of Anthropic's SDK. */
const answer = {
  id: "msg_1",
  type: "message",
  model: "claude-opus-4-8",
  container: null,
  ...said,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};
const toolCall = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };

function check(provider: ProviderName, messages: readonly object[], places: readonly string[], sent: unknown) {
  const found = validate(messages, provider).map(({ rule, path }) => `${rule} ${path}`);
  assert.deepEqual(
    found,
    places.map((place) => `extra-field ${place}`),
  );
  const repaired = repair(messages, { provider }).messages;
  assert.deepEqual(repaired, sent);
  for (const [at, message] of messages.entries())
    assert.equal(message === repaired[at], !places.some((place) => place.startsWith(`messages[${at}]`)), `${at}`);
  assert.deepEqual(validate(repaired, provider), []);
  assert.deepEqual(prune(messages, { budget: 1_000, format: provider }).messages, sent);
}

test("a whole answer of Anthropic is sent without its other fields", async () => {
  const messages = [user("Hi"), answer, user("What?")];
  const sent = [user("Hi"), said, user("What?")];
  check("anthropic", messages, ["messages[1].id"], sent);
  assert.match(validate(messages, "anthropic")[0]!.message, /id, type, model, container, stop_reason, .*usage/);
  const conversation = await openConversation({ format: "anthropic", model: "claude-sonnet-4-5", messages });
  const prepared = await conversation.prepare();
  assert.deepEqual(prepared.messages, sent);
  assert.equal(prepared.messages[0], messages[0], "messages without such fields stay the host's objects");
  assert.deepEqual(
    prepared.report.repaired?.map(({ rule, ids }) => [rule, ids]),
    [["extra-field", ["m1"]]],
  );
  assert.equal(conversation.log.original("m1"), answer, "the log keeps the host's own object");
  await conversation.dispose();
  // JSON leaves them out.
  assert.deepEqual(validate([{ ...user("Hi"), id: undefined }], "anthropic"), []);
});

test("what OpenAI's SDK parses is not sent", () => {
  const result = { role: "tool", tool_call_id: "c1", content: "ok" };
  const parsed = { function: { ...toolCall.function, parsed_arguments: {} } };
  const calls = { role: "assistant", content: null, refusal: null };
  check(
    "openai-chat",
    [user("Hi"), { ...calls, parsed: null, tool_calls: [{ ...toolCall, ...parsed }] }, result],
    ["messages[1].parsed", "messages[1].tool_calls[0].function.parsed_arguments"],
    [user("Hi"), { ...calls, tool_calls: [toolCall] }, result],
  );
  const text = { type: "output_text", text: "Hi.", annotations: [] };
  const message = { type: "message", role: "assistant", id: "msg_1", status: "completed" };
  const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "c1", output: "ok" };
  check(
    "openai-responses",
    [user("Hi"), { ...message, content: [{ ...text, parsed: null }] }, { ...call, parsed_arguments: {} }, output],
    ["messages[1].content[0].parsed", "messages[2].parsed_arguments"],
    [user("Hi"), { ...message, content: [text] }, call, output],
  );
  // Those of other providers that speak the same format.
  const reasons = [
    user("Hi"),
    { role: "assistant", content: "Hi.", reasoning_content: "hm", refusal: null },
    user("So?"),
  ];
  assert.deepEqual(validate(reasons, "openai-chat"), []);
});

test("system messages between the others go to models of Anthropic that accept them", async () => {
  const system = { role: "system" as const, content: "Be brief." };
  const roles = (messages: readonly { role: string }[], model: string) =>
    repair(messages, { provider: "anthropic", format: "anthropic", model }).messages.map(({ role }) => role);
  const last = [user("Hi"), said, user("What?"), system];
  for (const [model, takes] of Object.entries({
    "claude-opus-4-8": true,
    "anthropic/claude-opus-4.8": true,
    "claude-sonnet-5": true,
    "claude-fable-5-1": true,
    "claude-opus-4-7": false,
    "claude-sonnet-4-5": false,
    "claude-3-5-sonnet-20241022": false,
  })) {
    assert.equal(roles(last, model)[3], takes ? "system" : "user", model);
    assert.equal(validate(last, "anthropic", { model, format: "anthropic" }).length, takes ? 0 : 1, model);
    const conversation = await openConversation({ format: "anthropic", model, messages: last });
    assert.equal((await conversation.prepare()).messages.at(-1)?.role, takes ? "system" : "user", model);
    await conversation.dispose();
  }
  assert.equal(validate(last, "anthropic").length, 1, "an unknown model may refuse it");
  // First, behind the assistant, before the user, and next to each other they are refused.
  const model = "claude-opus-4-8";
  assert.deepEqual(roles([user("Hi"), system, said, user("So?")], model), ["user", "system", "assistant", "user"]);
  assert.deepEqual(roles([user("Hi"), said, system, user("So?")], model)[2], "user");
  assert.deepEqual(roles([user("Hi"), system, user("So?")], model)[1], "user");
  assert.deepEqual(roles([user("Hi"), system, system], model), ["user", "user", "user"]);
});
