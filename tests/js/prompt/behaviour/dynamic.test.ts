/** Elements that write by their budget. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { component, h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

test("an element fills the budget that it gets, by counting", async () => {
  const Filler = component(s, "Filler", async (_props, sizing) => {
    // One token is left for the line break after it, which layout does not know of.
    let text = "";
    while ((await sizing.countTokens(`${text}x`)) < sizing.tokenBudget) text += "x";
    return h(s.TextChunk, {}, text);
  });
  const content = (): any => h(s.UserMessage, {}, h(Filler, { flexGrow: 1 }), h(s.TextChunk, {}, "12345"));
  assert.deepEqual(await texts(s, content(), { budget: 30 }), [`user: ${"x".repeat(21)}|12345`]);
});

test("sizing knows the endpoint, and counts parts as well as text", async () => {
  const seen: unknown[] = [];
  const Asks = component(s, "Asks", async (_props, sizing) => {
    seen.push(
      sizing.endpoint.modelMaxPromptTokens,
      await sizing.countTokens("four"),
      await sizing.countTokens({ type: s.Raw.ChatCompletionContentPartKind.Image, imageUrl: { url: "x" } }),
    );
    return undefined;
  });
  await texts(s, h(s.UserMessage, {}, h(Asks)), { budget: 30 });
  assert.deepEqual(seen, [30, 4, 20]);
});
