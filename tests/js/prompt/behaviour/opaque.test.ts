/** Values that are passed through. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { h, render, shrinking } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

test("the value comes out, its token usage does not", async () => {
  const value = { thinking: "…" };
  const { messages } = await render(s, h(s.AssistantMessage, {}, h("opaque", { value, tokenUsage: 4 }), "x"));
  assert.deepEqual(messages[0].content[0], { type: s.Raw.ChatCompletionContentPartKind.Opaque, value });
  assert.equal(messages[0].content[0].value, value);
});

test("it goes by its own priority, or that of its element", async () => {
  const opaque = (name: string, priority?: number): any =>
    h("opaque", { value: { name, cost: 5 }, tokenUsage: 5, ...(priority === undefined ? {} : { priority }) });
  const content = (): any =>
    h(s.UserMessage, { priority: 3 }, opaque("a", 2), opaque("b"), h(s.TextChunk, { priority: 4 }, "t"));
  const stages = await shrinking(s, content, 20);
  assert.deepEqual(
    stages.map((stage) => [...stage.matchAll(/"name":"(\w)"/g)].map((match) => match[1]).join("")),
    ["ab", "b", "", ""],
  );
});

test("in OpenAI mode the value stands where it was written", async () => {
  const value = { type: "file", cost: 2 };
  const { messages } = await render(s, h(s.UserMessage, {}, "a", h("opaque", { value })), {
    tokenizer: tokenizerOf(s, { count: letters, mode: "OpenAI" }),
  });
  assert.deepEqual(messages[0].content, [{ type: "text", text: "a" }, value]);
});

test("a scope says in which modes it can be used", () => {
  const { usableIn } = s.Raw.ChatCompletionContentPartOpaque;
  const { Raw, OpenAI, VSCode } = s.OutputMode;
  assert.equal(usableIn({ type: 2, value: 1 }, VSCode), true);
  assert.equal(usableIn({ type: 2, value: 1, scope: Raw | OpenAI }, OpenAI), true);
  assert.equal(usableIn({ type: 2, value: 1, scope: Raw | OpenAI }, VSCode), false);
});
