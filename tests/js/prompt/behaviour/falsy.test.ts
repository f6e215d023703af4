/** What an element that returns nothing, or almost nothing, prints. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { component, h, texts } from "../pieces.ts";
import { ours, reference } from "../subject.ts";

/** A message with an element between two texts that returns `value`. */
async function check(value: unknown, expected: string): Promise<void> {
  for (const s of new Set([reference, ours])) {
    for (const result of [value, Promise.resolve(value)]) {
      const Returns = component(s, "Returns", () => result);
      assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a ", h(Returns), " b")), [`user: ${expected}`]);
    }
  }
}

for (const value of [0, -0, 0n, NaN, "", false, null, undefined]) {
  test(`${typeof value} ${String(value)} that render returns is nothing`, () => check(value, "a  b"));
}

test("a number that is something is text", () => check(7, "a 7 b"));

test("0 among the children is text", async () => {
  for (const s of new Set([reference, ours])) {
    assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a", 0, "b")), ["user: a0b"]);
    const Returns = component(s, "Returns", () => [0, ""]);
    assert.deepEqual(await texts(s, h(s.UserMessage, {}, "a", h(Returns), "b")), ["user: a0b"]);
  }
});
