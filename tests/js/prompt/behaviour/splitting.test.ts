/** A TextChunk cuts its text at a break, where its budget ends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

function chunk(props: Record<string, unknown>, ...children: any[]): any {
  return h(s.UserMessage, {}, h(s.TextChunk, props, ...children));
}

test("whitespace is where text may end", async () => {
  const text = "one two three";
  assert.deepEqual(await texts(s, chunk({ breakOnWhitespace: true }, text), { budget: 16 }), ["user: one two three"]);
  assert.deepEqual(await texts(s, chunk({ breakOnWhitespace: true }, text), { budget: 15 }), ["user: one two"]);
  assert.deepEqual(await texts(s, chunk({ breakOnWhitespace: true }, text), { budget: 7 }), ["user: one"]);
  assert.deepEqual(await texts(s, chunk({ breakOnWhitespace: true }, text), { budget: 5 }), []);
});

test("a string or an expression is where text may end", async () => {
  assert.deepEqual(await texts(s, chunk({ breakOn: ";" }, "a;bc;def"), { budget: 9 }), ["user: a;bc"]);
  assert.deepEqual(await texts(s, chunk({ breakOn: /\d/g }, "ab1cd22ef"), { budget: 9 }), ["user: ab1cd2"]);
  assert.deepEqual(await texts(s, chunk({ breakOn: "/" }, "nowhere"), { budget: 9 }), []);
});

test("line breaks are text, and other intrinsics stay", async () => {
  const opaque = h("opaque", { value: "x" });
  assert.deepEqual(await texts(s, chunk({ breakOn: "\n" }, "one", h("br"), opaque, "two"), { budget: 8 }), [
    'user: ["x"]one',
  ]);
});

test("only text and intrinsics are taken", async () => {
  const inner = h(s.LogicalWrapper, {}, "x");
  await assert.rejects(
    texts(s, chunk({ breakOn: " " }, inner)),
    /TextChunk children must be text literals or intrinsic attributes\./,
  );
  await assert.rejects(texts(s, chunk({}, inner)), /TextChunk cannot have extrinsic children!/);
  await assert.rejects(texts(s, chunk({ breakOn: / / }, "a b")), /must have the global flag set/);
});
