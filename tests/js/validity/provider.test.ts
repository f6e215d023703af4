/** The provider of `validate` and `repair`: how it is passed, and messages of another one. */

import { test } from "node:test";
import assert from "node:assert/strict";
import { espalier } from "../built.ts";
import { refused } from "../refused.ts";

const q = { role: "user", content: "Hello" };

test("validate takes the provider as an option, as repair does, or by itself", () => {
  const run = [
    q,
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
  ];
  const byName = espalier.validate(run, "openai-chat", { pending: "keep", model: "gpt-4o" });
  const provider = "openai-chat" as const;
  assert.deepEqual(espalier.validate(run, { provider, pending: "keep", model: "gpt-4o" }), byName);
  assert.deepEqual(espalier.validate(run, { provider }), espalier.validate(run, provider));
  assert.notDeepEqual(espalier.validate(run, { provider }), byName);
  refused(() => espalier.validate(run, { provider, pendng: "keep" } as never), "bad_option", "options.pendng");
});

test("messages of another provider are named as such", () => {
  const chat = [q, { role: "tool", tool_call_id: "c", content: "x" }];
  const words =
    /messages\[1\]\.role must .*\. The messages look like those of openai-chat; convert\(messages, "anthropic"\)/;
  assert.throws(() => espalier.repair(chat, { provider: "anthropic" }), words);
  assert.throws(() => espalier.validate(chat, { provider: "anthropic" }), words);
});
