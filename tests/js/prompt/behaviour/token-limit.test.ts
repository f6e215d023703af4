/** TokenLimit: a budget of one's own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const chunk = (text: string, priority?: number): any =>
  h(s.TextChunk, priority === undefined ? {} : { priority }, text);

test("around messages it counts them exactly", async () => {
  const content = (max: number): any =>
    all(h(s.TokenLimit, { max }, h(s.UserMessage, {}, chunk("aaa", 1), chunk("bbb", 2))), h(s.UserMessage, {}, "free"));
  assert.deepEqual(await texts(s, content(10)), ["user: aaa|bbb", "user: free"]);
  assert.deepEqual(await texts(s, content(9)), ["user: bbb", "user: free"]);
});

test("inside a message every chunk counts with its line break", async () => {
  const content = (max: number): any =>
    h(s.UserMessage, {}, h(s.TokenLimit, { max }, chunk("aaa", 1), chunk("bbb", 2)), "!");
  assert.deepEqual(await texts(s, content(8)), ["user: aaa|bbb!"]);
  assert.deepEqual(await texts(s, content(7)), ["user: bbb!"]);
});

test("inner limits are met before outer ones", async () => {
  const content = h(
    s.UserMessage,
    {},
    h(s.TokenLimit, { max: 9 }, h(s.TokenLimit, { max: 5 }, chunk("aaa", 9), chunk("bbb", 8)), chunk("ccc", 1)),
  );
  assert.deepEqual(await texts(s, content), ["user: aaa|ccc"]);
});

test("the prompt's budget comes after all limits", async () => {
  const content = all(
    h(s.TokenLimit, { max: 7 }, h(s.UserMessage, {}, chunk("aaa", 1), chunk("bbb", 2))),
    h(s.UserMessage, {}, chunk("ccc", 1), chunk("ddd", 2)),
  );
  assert.deepEqual(await texts(s, content, { budget: 12 }), ["user: bbb", "user: ddd"]);
});

test("a limit above the prompt's budget is left alone", async () => {
  const content = h(s.UserMessage, {}, h(s.TokenLimit, { max: 60 }, "x".repeat(40)));
  assert.deepEqual(await texts(s, content, { budget: 50 }), [`user: ${"x".repeat(40)}`]);
});

test("a fractional limit, and one of nothing", async () => {
  const content = (max: number): any =>
    h(s.UserMessage, {}, h(s.TokenLimit, { max }, chunk("aaa", 1), chunk("bbb", 2)), "!");
  assert.deepEqual(await texts(s, content(7.9)), ["user: bbb!"]);
  assert.deepEqual(await texts(s, content(0)), ["user: !"]);
});
