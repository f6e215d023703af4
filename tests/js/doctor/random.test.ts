/**
 * Random histories as agents leave them behind, for five providers and four limits: after mending nothing is refused.
 * ESPALIER_HISTORIES sets their number; the default keeps the suite short.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

await espalier.init();
const PROVIDERS: ProviderName[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "vscode"];
const LIMITS = [{}, { maxTokens: 2_000 }, { maxBytes: 20_000 }, { maxImages: 1, maxImageBytes: 3_000 }];
const RUNS = Number(process.env["ESPALIER_HISTORIES"] ?? runs(150));

const header = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAA";
const words = fc.oneof(
  fc.constantFrom("", " ", "\n", "Go on.", "Done. ", "日本語"),
  fc.string({ maxLength: 12 }),
  fc.constant("A longer line of an answer.\n".repeat(40)),
);
const id = fc.constantFrom("a", "b", "c", "call 1", "", "x".repeat(80));
const text = words.map((value) => ({ type: "text", text: value }));
const image = fc.constantFrom(10, 200, 2_000).map((size) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: header.repeat(size / 10) },
}));
const use = fc
  .tuple(id, fc.constantFrom("bash", "read file", ""))
  .map(([one, name]) => ({ type: "tool_use", id: one, name, input: { path: "a.ts" } }));
const result = fc
  .tuple(id, fc.oneof(words, fc.array(fc.oneof(text, image), { maxLength: 2 })), fc.boolean())
  .map(([one, content, isError]) => ({
    type: "tool_result",
    tool_use_id: one,
    content,
    ...(isError && { is_error: true }),
  }));
const thought = fc.constantFrom(
  { type: "thinking", thinking: "Hm.", signature: "c2ln" },
  { type: "thinking", thinking: "", signature: "" },
  { type: "redacted_thinking", data: "x" },
);
const message = fc
  .oneof(
    fc.tuple(fc.constant("user"), fc.oneof(words, fc.array(fc.oneof(text, image, result), { maxLength: 4 }))),
    fc.tuple(fc.constant("assistant"), fc.oneof(words, fc.array(fc.oneof(text, use, thought), { maxLength: 4 }))),
  )
  .map(([role, content]) => ({ role, content }));

test(`${RUNS} random histories: no refusal`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 12 }), async (messages) => {
      for (const provider of PROVIDERS) {
        for (const limits of LIMITS) {
          const options = { provider, limits, format: "anthropic" as const };
          const { left, messages: mended } = await espalier.mend(messages, options);
          // One message that must stay may be larger than a limit.
          const real = left.filter(
            (one) => !("limit" in one && (one.limit === "maxTokens" || one.limit === "maxBytes")),
          );
          assert.deepEqual(real, [], `${provider} ${JSON.stringify(limits)}`);
          assert.deepEqual(espalier.validate(mended, provider), [], provider);
        }
      }
    }),
    { numRuns: RUNS },
  );
});
