/** Pictures. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { h, render, shrinking, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

const { Image: IMAGE, Text: TEXT } = s.Raw.ChatCompletionContentPartKind;

async function url(src: string, props: Record<string, unknown> = {}): Promise<any> {
  return (await render(s, h(s.UserMessage, {}, h(s.Image, { src, ...props })))).messages[0].content[0];
}

test("base64 is recognised by how it begins", async () => {
  assert.equal((await url("/9j/4AA")).imageUrl.url, "data:image/jpeg;base64,/9j/4AA");
  assert.equal((await url("iVBORw0")).imageUrl.url, "data:image/png;base64,iVBORw0");
  assert.equal((await url("R0lGODl")).imageUrl.url, "data:image/gif;base64,R0lGODl");
  assert.equal((await url("UklGRg")).imageUrl.url, "data:image/webp;base64,UklGRg");
});

test("addresses are left as they are", async () => {
  assert.deepEqual(await url("https://example.org/a.png", { detail: "low" }), {
    type: IMAGE,
    imageUrl: { url: "https://example.org/a.png", detail: "low" },
  });
});

test("a media type is passed on if given", async () => {
  assert.deepEqual((await url("https://example.org/a", { mimeType: "image/png" })).imageUrl, {
    url: "https://example.org/a",
    detail: undefined,
    mediaType: "image/png",
  });
  assert.equal("mediaType" in (await url("https://example.org/a")).imageUrl, false);
});

test("a picture splits the text around it", async () => {
  const { messages } = await render(s, h(s.UserMessage, {}, "before", h(s.Image, { src: "x" }), "after"));
  assert.deepEqual(
    messages[0].content.map(({ type }: any) => type),
    [TEXT, IMAGE, TEXT],
  );
});

test("pictures go by priority", async () => {
  const content = (): any =>
    h(
      s.UserMessage,
      {},
      h(s.TextChunk, { priority: 2 }, "aaa"),
      h(s.Image, { src: "x", priority: 1 }),
      h(s.TextChunk, { priority: 0 }, "bbb"),
    );
  assert.deepEqual(await shrinking(s, content, 30), [
    "user: aaa[image]|bbb".replace("|", ""),
    "user: aaa[image]",
    "user: aaa",
    "",
  ]);
});

test("where a picture was, text meets with a line break if it began one", async () => {
  const content = h(s.UserMessage, {}, "aaa", h(s.Image, { src: "x", priority: 1 }), h(s.TextChunk, {}, "bbb"));
  assert.deepEqual(await texts(s, content, { budget: 15 }), ["user: aaa|bbb"]);
});

test("what is written inside a picture is dropped, and a picture alone is not empty", async () => {
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(s.Image, { src: "x" }, "alt text"))), ["user: [image]"]);
});

test("in OpenAI mode users and tools show pictures, others do not", async () => {
  const tokenizer = tokenizerOf(s, { count: letters, mode: "OpenAI" });
  const { messages } = await render(
    s,
    [
      h(s.UserMessage, {}, "a", h(s.Image, { src: "x" })),
      h(s.ToolMessage, { toolCallId: "t" }, h(s.Image, { src: "x" })),
      h(s.SystemMessage, {}, "b", h(s.Image, { src: "x" })),
    ],
    { tokenizer },
  );
  const image = { image_url: { url: "x" }, type: "image_url" };
  assert.deepEqual(
    JSON.parse(JSON.stringify(messages)).map(({ content }: any) => content),
    [[{ type: "text", text: "a" }, image], [image], "b"],
  );
});

test("a picture that costs nothing alone hides no step: the line break in its place costs more", async () => {
  const tokenizer = tokenizerOf(s, { count: letters, image: 0 });
  const picture = h(s.Image, { src: "x" });
  const chunk = (letter: string) => h(s.TextChunk, {}, letter.repeat(9));
  const content = (): any => h(s.UserMessage, {}, "before ", chunk("a"), picture, chunk("b"), picture, chunk("c"));
  // Without "before " and the line break behind it 30 remain; without the next, a picture, 31 do.
  for (const budget of [30, 31])
    assert.deepEqual(await texts(s, content(), { budget, tokenizer }), [
      "user: aaaaaaaaa[image]bbbbbbbbb[image]ccccccccc",
    ]);
});
