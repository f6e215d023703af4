/** Documents. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { h, render, shrinking, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

const document = (props: Record<string, unknown> = {}): any =>
  h(s.Document, { data: "JVBERi0", mediaType: "application/pdf", ...props });

test("a document is a part of its own", async () => {
  const { messages } = await render(s, h(s.UserMessage, {}, "see", document(), "end"));
  const { Text: TEXT, Document: DOCUMENT } = s.Raw.ChatCompletionContentPartKind;
  assert.deepEqual(messages[0].content, [
    { type: TEXT, text: "see" },
    { type: DOCUMENT, documentData: { data: "JVBERi0", mediaType: "application/pdf" } },
    { type: TEXT, text: "end" },
  ]);
});

test("documents go by priority", async () => {
  const content = (): any => h(s.UserMessage, {}, h(s.TextChunk, { priority: 2 }, "aaa"), document({ priority: 1 }));
  assert.deepEqual(await shrinking(s, content, 20), ["user: aaa[document]", "user: aaa", ""]);
});

test("OpenAI mode has none", async () => {
  const { messages } = await render(s, h(s.UserMessage, {}, "a", document(), "b"), {
    tokenizer: tokenizerOf(s, { count: letters, mode: "OpenAI" }),
  });
  assert.equal(messages[0].content, "ab");
});

test("what is written inside a document is dropped, and a document alone is not empty", async () => {
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(s.Document, { data: "d", mediaType: "m" }, "text"))), [
    "user: [document]",
  ]);
});
