/** IfEmpty: something in place of nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const inside = (alt: any, ...children: any[]): any => h(s.UserMessage, {}, h(s.IfEmpty, { alt }, ...children));

test("children that are there are kept", async () => {
  assert.deepEqual(await texts(s, inside("none", "some", h(s.TextChunk, {}, "more"))), ["user: some|more"]);
});

test("nothing is replaced", async () => {
  assert.deepEqual(await texts(s, inside("none")), ["user: none"]);
  assert.deepEqual(await texts(s, inside(h(s.TextChunk, {}, "none"), undefined, false)), ["user: none"]);
});

test("so are elements that yield nothing, and whitespace", async () => {
  const Nothing = component(s, "Nothing", () => undefined);
  assert.deepEqual(await texts(s, inside("none", h(Nothing), " \n", h("br"))), ["user: none"]);
});

test("it may hold messages", async () => {
  const content = all(
    h(s.IfEmpty, { alt: h(s.UserMessage, {}, "none") }, h(s.UserMessage, {}, "")),
    h(s.IfEmpty, { alt: h(s.UserMessage, {}, "none") }, h(s.UserMessage, {}, "some")),
  );
  assert.deepEqual(await texts(s, content), ["user: none", "user: some"]);
});

test("it is decided before anything is removed", async () => {
  const content = h(
    s.UserMessage,
    {},
    "kept",
    h(s.IfEmpty, { alt: "none" }, h(s.TextChunk, { priority: 1 }, "too long")),
  );
  assert.deepEqual(await texts(s, content, { budget: 10 }), []);
  const low = h(s.UserMessage, {}, "kept", h(s.IfEmpty, { alt: "none", priority: 1 }, h(s.TextChunk, {}, "too long")));
  assert.deepEqual(await texts(s, low, { budget: 10 }), ["user: kept"]);
});

test("children are rendered after the alternative", async () => {
  const order: string[] = [];
  const says = (name: string): any => h(component(s, name, () => void order.push(name)));
  await texts(s, inside(says("alternative"), says("children")));
  assert.deepEqual(order, ["alternative", "children"]);
});
