/** What counts as a child. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, fragment, h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

/** A message with this as one of its children. */
const holding = (child: any): Promise<string[]> =>
  texts(s, { ctor: s.UserMessage, props: {}, children: ["a", child, "z"] });

test("arrays, nested ones too", async () => {
  assert.deepEqual(await holding(["b", ["c", [["d"]]], []]), ["user: abcdz"]);
});

test("sets and maps' values", async () => {
  assert.deepEqual(await holding(new Set(["b", "c"])), ["user: abcz"]);
  assert.deepEqual(
    await holding(
      new Map([
        [1, "b"],
        [2, "c"],
      ]).values(),
    ),
    ["user: abcz"],
  );
});

test("generators", async () => {
  function* three(): Generator<any> {
    yield "b";
    yield h(s.TextChunk, {}, "c");
    yield* ["d"];
  }
  assert.deepEqual(await holding(three()), ["user: ab|cdz"]);
});

test("anything else with an iterator", async () => {
  assert.deepEqual(
    await holding({
      *[Symbol.iterator]() {
        yield "b";
        yield ["c"];
      },
    }),
    ["user: abcz"],
  );
});

test("fragments are see-through", async () => {
  assert.deepEqual(await holding(all("b", all(h(fragment, {}, "c"), "d"))), ["user: abcdz"]);
});

test("numbers are text; booleans and undefined are nothing", async () => {
  assert.deepEqual(await holding([0, 1.5, true, false, undefined]), ["user: a01.5z"]);
});

test("an iterable may be what an element returns, with elements in it", async () => {
  const Many = component(s, "Many", () => new Set([h(s.UserMessage, {}, "one"), h(s.UserMessage, {}, "two")]));
  assert.deepEqual(await texts(s, h(Many)), ["user: one", "user: two"]);
});
