/** Cache breakpoints: what is before the last one stays. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, render, shrinking, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const mark = (type?: string): any => h("cacheBreakpoint", type === undefined ? {} : { type });

test("it is a part of its message", async () => {
  const { messages } = await render(s, h(s.UserMessage, {}, "a", mark("ephemeral"), "b"));
  assert.deepEqual(messages[0].content[1], {
    type: s.Raw.ChatCompletionContentPartKind.CacheBreakpoint,
    cacheType: "ephemeral",
  });
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, mark())), ["user: [breakpoint]"]);
});

test("of two in a row the later is kept", async () => {
  const { messages } = await render(s, h(s.UserMessage, {}, "a", mark("one"), mark("two")));
  assert.deepEqual(
    messages[0].content.slice(1).map(({ cacheType }: any) => cacheType),
    ["two"],
  );
});

test("nothing before it goes, in its message and in those before", async () => {
  const content = (): any =>
    all(
      h(s.UserMessage, { priority: 1 }, "aaa"),
      h(
        s.UserMessage,
        { priority: 7 },
        h(s.TextChunk, { priority: 1 }, "bbb"),
        mark(),
        h(s.TextChunk, { priority: 9 }, "ccc"),
      ),
      h(s.UserMessage, { priority: 6 }, "ddd"),
    );
  assert.deepEqual(await shrinking(s, content, 30, 12), [
    "user: aaa user: bbb[breakpoint]ccc user: ddd",
    "user: aaa user: bbb[breakpoint]ccc",
    "user: aaa user: bbb[breakpoint]",
  ]);
  await assert.rejects(texts(s, content(), { budget: 11 }), /No lowest priority node found/);
});

test("only messages hold one, directly", async () => {
  const refused = /Cache breakpoints may only be direct children of chat messages/;
  await assert.rejects(texts(s, h(s.UserMessage, {}, h(s.LogicalWrapper, {}, mark()))), refused);
  await assert.rejects(texts(s, h(s.UserMessage, {}, h(s.TextChunk, {}, mark()))), refused);
  await assert.rejects(texts(s, mark()), refused);
});

test("a chunk around a message goes with its breakpoint", async () => {
  const content = (): any =>
    all(h(s.Chunk, { priority: 1 }, h(s.UserMessage, {}, "aaa", mark())), h(s.UserMessage, { priority: 2 }, "bbb"));
  assert.deepEqual(await shrinking(s, content, 15), ["user: aaa[breakpoint] user: bbb", "user: bbb", ""]);
});
