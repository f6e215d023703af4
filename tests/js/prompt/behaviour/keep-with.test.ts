/** Elements that stay and go together. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, shrinking, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

test("when one is gone, so are the others", async () => {
  const content = (): any => {
    const K = s.useKeepWith();
    return h(
      s.UserMessage,
      {},
      h(K, { priority: 3 }, "aaa"),
      h(s.TextChunk, { priority: 2 }, "bbb"),
      h(K, { priority: 1 }, h(s.TextChunk, {}, "ccc")),
    );
  };
  assert.deepEqual(await shrinking(s, content, 20, 1), ["user: aaa|bbb|ccc", "user: bbb", ""]);
});

test("one that is only pruned in part keeps the others", async () => {
  const content = (): any => {
    const K = s.useKeepWith();
    return h(
      s.UserMessage,
      {},
      h(K, { priority: 3 }, "aaa"),
      h(K, { priority: 1 }, h(s.TextChunk, { priority: 1 }, "b1"), h(s.TextChunk, { priority: 2 }, "b2")),
    );
  };
  assert.deepEqual(await shrinking(s, content, 20, 1), ["user: aaa|b1|b2", "user: aaa|b2", ""]);
});

test("calls go with their results, and the message of a call with its last call", async () => {
  const call = (id: string, keepWith: unknown): any => ({
    id,
    type: "function",
    function: { name: "f", arguments: "" },
    keepWith,
  });
  const content = (): any => {
    const [One, Two] = [s.useKeepWith(), s.useKeepWith()];
    return all(
      h(s.AssistantMessage, { priority: 9, toolCalls: [call("one", One), call("two", Two)] }),
      h(One, { priority: 1 }, h(s.ToolMessage, { toolCallId: "one" }, "1111111111")),
      h(Two, { priority: 2 }, h(s.ToolMessage, { toolCallId: "two" }, "2222222222")),
      h(s.UserMessage, { priority: 10 }, "go"),
    );
  };
  assert.deepEqual(await shrinking(s, content, 60, 5), [
    "assistant: <one><two> tool: 1111111111 tool: 2222222222 user: go",
    "assistant: <two> tool: 2222222222 user: go",
    "user: go",
  ]);
});

test("each call of useKeepWith makes a group of its own", async () => {
  const [A, B] = [s.useKeepWith(), s.useKeepWith()];
  assert.notEqual(A.id, B.id);
  const content = h(s.UserMessage, {}, h(A, { priority: 1 }, "aaa"), h(B, { priority: 2 }, "bbb"));
  assert.deepEqual(await texts(s, content, { budget: 7 }), ["user: bbb"]);
});
