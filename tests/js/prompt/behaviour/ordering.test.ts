/** The prompt is in source order, whatever was rendered first and wherever line breaks are put. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const W = s.LogicalWrapper;

test("flexGrow does not move anything", async () => {
  const message = h(
    s.UserMessage,
    {},
    h(s.TextChunk, { flexGrow: 1 }, "one"),
    h(s.TextChunk, {}, "two"),
    h(s.TextChunk, { flexGrow: 3 }, "three"),
  );
  assert.deepEqual(await texts(s, all(message, h(s.SystemMessage, {}, "last"))), [
    "user: one|two|three",
    "system: last",
  ]);
});

test("literals, line breaks and elements keep their places", async () => {
  const Slow = component(s, "Slow", async (props) => all(await Promise.resolve("slow "), props.children));
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a ", h(Slow, {}, "inside"), " b", h("br"), "c")), [
    "user: a slow inside b|c",
  ]);
});

test("text inside an element goes on the line, the next element begins another", async () => {
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, "Hello ", h(W, {}, "x"), "!")), ["user: Hello x!"]);
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(W, {}, "x"), "y", h(W, {}, "z"), h(W, {}, "w"))), [
    "user: xyz|w",
  ]);
});

test("a TextChunk begins a line, and none is doubled", async () => {
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a", h(s.TextChunk, {}, "b"), "c")), ["user: a|bc"]);
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a\n", h(s.TextChunk, {}, "b"))), ["user: a|b"]);
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h(s.TextChunk, {}, "b"))), ["user: b"]);
});

test("no line is begun after a picture", async () => {
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a", h(s.Image, { src: "x" }), h(s.TextChunk, {}, "b"))), [
    "user: a[image]b",
  ]);
});

test("outer whitespace stays; messages of nothing else are left out", async () => {
  assert.deepEqual(
    await texts(s, all(h(s.UserMessage, {}, "  a \n"), h(s.UserMessage, {}, " \n "), h(s.UserMessage))),
    ["user:   a |"],
  );
});

test("text outside a message is refused with that text", async () => {
  await assert.rejects(
    texts(s, all(h(s.UserMessage, {}, "a"), "loose")),
    /Cannot have a text node outside a ChatMessage\. Text: "loose"/,
  );
});
