/** `BuiltinTokenizer` with the calls that clients of the reference make of their own tokenizers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ours, rehearsal } from "./subject.ts";

const { BuiltinTokenizer, OutputMode, Raw } = ours;
const Kind = Raw?.ChatCompletionContentPartKind;
const skip = rehearsal;

const tokenizer = skip ? undefined : new BuiltinTokenizer({ mode: OutputMode.Raw });
const text = { type: Kind.Text, text: "one two three" };
const message = { role: 1, content: [text] };
const tool = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

const PARTS: [name: string, part: unknown, tokens: number][] = [
  ["a string", "one two three", 3],
  ["an empty string", "", 0],
  ["a text", text, 3],
  ["an opaque part with its usage", { type: Kind.Opaque, value: { a: "b" }, tokenUsage: 17 }, 17],
  ["an opaque part without", { type: Kind.Opaque, value: { a: "b" } }, 0],
  ["a cache breakpoint", { type: Kind.CacheBreakpoint }, 0],
];

for (const [name, part, tokens] of PARTS) {
  test(`tokenLength of ${name}`, { skip }, async () => {
    assert.equal(tokenizer.tokenLength(part), tokens);
    assert.equal(await tokenizer.promises.tokenLength(part).then((count: number) => count), tokens);
  });
}

test("tokenLength of a PDF grows with its size", { skip }, () => {
  const pdf = (data: string): number =>
    tokenizer.tokenLength({ type: Kind.Document, documentData: { data, mediaType: "application/pdf" } });
  assert.ok(pdf("JVBERi0=".repeat(20)) > 0);
  assert.ok(pdf("JVBERi0=".repeat(2000)) > pdf("JVBERi0=".repeat(20)));
});

test("countMessagesTokens is the sum and three for the list", { skip }, async () => {
  const one = tokenizer.countMessageTokens(message);
  assert.equal(tokenizer.countMessagesTokens([]), 3);
  assert.equal(tokenizer.countMessagesTokens([message, message]), 2 * one + 3);
  assert.equal(await tokenizer.promises.countMessagesTokens([message]), one + 3);
  assert.equal(await tokenizer.promises.countMessageTokens(message), one);
});

test("countToolTokens counts definitions in either form alike", { skip }, async () => {
  const wrapped = tokenizer.countToolTokens([{ type: "function", function: tool }]);
  assert.ok(wrapped > 20);
  assert.equal(
    tokenizer.countToolTokens([{ name: tool.name, description: tool.description, inputSchema: tool.parameters }]),
    wrapped,
  );
  assert.equal(await tokenizer.promises.countToolTokens([{ type: "function", function: tool }]), wrapped);
});

test("the promised tokenizer renders", { skip }, async () => {
  class Root extends ours.PromptElement {
    render(): unknown {
      return { ctor: ours.UserMessage, props: {}, children: ["one two three"] };
    }
  }
  const { tokenCount } = await new ours.PromptRenderer(
    { modelMaxPromptTokens: 100 },
    Root,
    {},
    tokenizer.promises,
  ).render();
  assert.equal(tokenCount, tokenizer.countMessageTokens(message));
});
