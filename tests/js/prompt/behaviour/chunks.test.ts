/** Chunk: all or nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, shrinking } from "../pieces.ts";
import { ours as s } from "../subject.ts";

test("what is in a chunk inside a message goes at once", async () => {
  const content = (): any =>
    h(
      s.UserMessage,
      {},
      h(s.Chunk, { priority: 1 }, h(s.TextChunk, { priority: 9 }, "a"), h(s.TextChunk, { priority: 0 }, "b")),
      h(s.TextChunk, { priority: 2 }, "c"),
    );
  assert.deepEqual(await shrinking(s, content, 20), ["user: a|b|c", "user: c", ""]);
});

test("a chunk around messages takes them along", async () => {
  const content = (): any =>
    all(
      h(s.Chunk, { priority: 1 }, h(s.UserMessage, {}, "ask"), h(s.AssistantMessage, {}, "answer")),
      h(s.UserMessage, { priority: 2 }, "now"),
    );
  assert.deepEqual(await shrinking(s, content, 40), ["user: ask assistant: answer user: now", "user: now", ""]);
});

test("a chunk that passes priority on is no unit", async () => {
  const content = (): any =>
    h(
      s.UserMessage,
      {},
      h(s.Chunk, { passPriority: true }, h(s.TextChunk, { priority: 1 }, "a"), h(s.TextChunk, { priority: 3 }, "b")),
      h(s.TextChunk, { priority: 2 }, "c"),
    );
  assert.deepEqual(await shrinking(s, content, 20), ["user: a|b|c", "user: b|c", "user: b", ""]);
});
