/** Requests that continue a response that OpenAI's server has: outputs answer calls that are not in the request. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { compact, countMessages, prune, Pruner, repair, validate } = espalier;

const output = (id: string, words = 1) => ({
  type: "function_call_output",
  call_id: id,
  output: "word ".repeat(words),
});
const call = (id: string) => ({ type: "function_call", call_id: id, name: "read", arguments: "{}" });
const user = (content: string) => ({ role: "user", content });

for (const [name, continued] of [
  ["previous_response_id", { previous_response_id: "resp_1" }],
  ["a conversation by its id", { conversation: "conv_1" }],
  ["a conversation", { conversation: { id: "conv_1" } }],
] as const) {
  test(`${name}: the outputs of calls that the server has stay`, async () => {
    const first = [output("c1"), output("c2", 50)];
    const short = { model: "gpt-5", ...continued, input: first };
    assert.deepEqual(validate(short, { provider: "openai-responses" }), []);
    assert.equal(repair(short, { provider: "openai-responses" }).messages, short);
    assert.equal(prune(short, { budget: 1_000 }).messages, short);
    assert.ok(countMessages(short).total > 50);
    const parallel = { ...short, input: ["a", "b", "c"].map((id) => output(id, 2_000)) };
    const rounds = Array.from({ length: 10 }, (_, at) => [call(`r${at}`), output(`r${at}`, 100)]).flat();
    const long = { ...short, input: [...rounds, ...parallel.input] };
    for (const request of [parallel, long]) {
      const pruned = [prune(request, { budget: 1_500 }), new Pruner().prune(request, { budget: 1_500 })];
      for (const { messages } of [...pruned, await compact(request, { budget: 1_500 })]) {
        const kept = messages.input.flatMap((item) => ("call_id" in item ? [item.call_id] : []));
        assert.deepEqual(kept.slice(-3), ["a", "b", "c"], "shortened, and there");
        assert.ok(countMessages(messages).total <= 1_500);
        assert.deepEqual(validate(messages, { provider: "openai-responses" }), []);
      }
    }
  });
}

test("outputs before later messages of the user stay, shortened if need be", async () => {
  const turns = Array.from({ length: 6 }, (_, at) => [
    user(`Question ${at}? ${"word ".repeat(200)}`),
    { role: "assistant", content: "Yes." },
  ]);
  const input = [output("c1", 60), output("c2", 3_000), ...turns.flat(), user("And now?")];
  const request = { model: "gpt-5", previous_response_id: "resp_1", input };
  const results = [prune(request, { budget: 900 }), new Pruner().prune(request, { budget: 900 })];
  for (const { messages, report } of [...results, await compact(request, { budget: 900 })]) {
    const kept = messages.input.flatMap((item) => ("call_id" in item ? [item.call_id] : []));
    assert.deepEqual(kept, ["c1", "c2"]);
    assert.ok(report.after.total <= 900);
    assert.deepEqual(validate(messages, { provider: "openai-responses" }), []);
  }
});

test("an output of no call is one elsewhere, and behind calls of the request", () => {
  const rules = (request: object) => validate(request, { provider: "openai-responses" }).map(({ rule }) => rule);
  assert.deepEqual(rules({ model: "gpt-5", input: [user("Hi"), output("c1")] }), ["orphan-result"]);
  const input = [output("c0"), call("c1"), output("c1")];
  assert.deepEqual(rules({ model: "gpt-5", previous_response_id: "resp_1", input }), []);
});
