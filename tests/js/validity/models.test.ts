/** What single models refuse beyond the rules of their provider. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";

const { prune, repair, validate } = espalier;

test("Mistral: the assistant speaks between a tool result and the user", () => {
  const messages = [
    { role: "user", content: "Read a.ts." },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "abcdefghi", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "abcdefghi", content: "text" },
    { role: "user", content: "Stop, read b.ts." },
  ];
  for (const model of ["mistral-large-latest", "devstral-small-2", "magistral-medium", "pixtral-12b"]) {
    const found = validate(messages, { provider: "openai-chat", model });
    assert.deepEqual(
      found.map(({ rule, index }) => [rule, index]),
      [["unanswered-result", 3]],
    );
    const { messages: repaired } = repair(messages, { provider: "openai-chat", model });
    assert.deepEqual(
      repaired.filter((_, at) => at !== 3),
      messages,
    );
    assert.equal((repaired[3] as { role: string }).role, "assistant");
    assert.deepEqual(validate(repaired, { provider: "openai-chat", model }), []);
    const { messages: sent } = prune(messages, { provider: "openai-chat", model, budget: 1_000 });
    assert.deepEqual(sent, repaired);
  }
  assert.deepEqual(validate(messages, { provider: "openai-chat", model: "gpt-4o" }), []);
});
