/** What goes first. Every test shrinks the budget and looks at what is left. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, shrinking } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const T = s.TextChunk;
const W = s.LogicalWrapper;

/** A chunk of one letter, so that a stage reads like a word. */
const chunk = (text: string, priority?: number): any => h(T, priority === undefined ? {} : { priority }, text);

/** What goes, in order, told by single letters. */
async function gone(content: () => any): Promise<string> {
  const stages = await shrinking(s, content, 120);
  const names = stages.map((stage) => stage.replaceAll(/\w+:|\W/g, ""));
  return names
    .slice(1)
    .map((left, at) => [...(names[at] as string)].filter((letter) => !left.includes(letter)).join(""))
    .join(" ");
}

test("lower priorities go first", async () => {
  assert.equal(await gone(() => h(s.UserMessage, {}, chunk("a", 2), chunk("b", 0), chunk("c", 1))), "b c a");
});

test("no priority is the highest", async () => {
  assert.equal(
    await gone(() => h(s.UserMessage, {}, chunk("a"), chunk("b", 1e9), chunk("c", Number.MAX_SAFE_INTEGER))),
    "b a c",
  );
});

test("negative and fractional priorities", async () => {
  assert.equal(await gone(() => h(s.UserMessage, {}, chunk("a", 0.5), chunk("b", -1), chunk("c", 0))), "b c a");
});

test("of equal ones the earlier goes", async () => {
  assert.equal(await gone(() => h(s.UserMessage, {}, chunk("a", 1), chunk("b", 1), chunk("c", 1))), "a b c");
});

test("siblings are compared, then what is in the lowest", async () => {
  const content = (): any =>
    all(
      h(s.UserMessage, { priority: 1 }, chunk("a", 50), chunk("b", 200)),
      h(s.UserMessage, { priority: 2 }, chunk("c", 0), chunk("d", 100)),
    );
  assert.equal(await gone(content), "a b c d");
});

test("equal containers are distinguished by their lowest children", async () => {
  const content = (): any =>
    all(h(s.UserMessage, {}, chunk("a", 50), chunk("b", 200)), h(s.UserMessage, {}, chunk("c", 0), chunk("d", 100)));
  assert.equal(await gone(content), "c a d b");
});

test("only direct children tell them apart", async () => {
  const content = (): any =>
    all(h(s.UserMessage, {}, h(W, {}, chunk("a", 1)), chunk("b", 9)), h(s.UserMessage, {}, chunk("c", 5)));
  assert.equal(await gone(content), "c b a");
});

test("a leaf goes before a container of equal priority", async () => {
  assert.equal(await gone(() => h(s.UserMessage, { priority: 3 }, h(W, { priority: 3 }, "a"), "b")), "b a");
});

test("a literal has the priority of its element", async () => {
  const content = (): any => h(s.UserMessage, { priority: 4 }, chunk("a", 3), "b", chunk("c", 5));
  assert.equal(await gone(content), "a b c");
});

test("passPriority lets children compete with the siblings of their container", async () => {
  const content = (): any =>
    h(s.UserMessage, {}, h(W, { passPriority: true }, chunk("a", 1), chunk("c", 3)), chunk("b", 2));
  assert.equal(await gone(content), "a b c");
});

test("passPriority through several levels", async () => {
  const inner = (): any =>
    h(W, { passPriority: true }, chunk("a", 1), h(W, { passPriority: true }, chunk("d", 4), chunk("b", 2)));
  assert.equal(await gone(() => h(s.UserMessage, {}, inner(), chunk("c", 3))), "a b c d");
});

test("a message does not pass its priority on", async () => {
  const content = (): any =>
    all(
      h(s.UserMessage, { passPriority: true, priority: 2 }, chunk("a", 9)),
      h(s.UserMessage, { priority: 3 }, chunk("b", 1)),
    );
  assert.equal(await gone(content), "a b");
});

test("a container whose priority passes and whose children are gone is nothing special", async () => {
  const content = (): any => h(s.UserMessage, {}, h(W, { passPriority: true }, chunk("a", 5)), chunk("b", 1));
  assert.equal(await gone(content), "b a");
});

test("PrioritizedList numbers its children from its priority down or up to it", async () => {
  const list = (descending: boolean): any =>
    h(
      s.UserMessage,
      {},
      h(s.PrioritizedList, { priority: 10, descending, passPriority: true }, chunk("a"), chunk("b"), chunk("c")),
      chunk("x", 8.5),
    );
  // a 10, b 9, c 8.
  assert.equal(await gone(() => list(true)), "c x b a");
  // a 7, b 8, c 9.
  assert.equal(await gone(() => list(false)), "a b x c");
});

test("PrioritizedList counts children that are nothing, and wraps bare text", async () => {
  const content = (): any =>
    h(
      s.UserMessage,
      {},
      h(s.PrioritizedList, { priority: 10, descending: true, passPriority: true }, "a", undefined, "b"),
      chunk("x", 8.5),
      chunk("y", 7.5),
    );
  // a 10, b 8.
  assert.equal(await gone(content), "y b x a");
});

test("below LegacyPrioritization the lowest leaf goes, wherever it is", async () => {
  const content = (): any =>
    h(
      s.LegacyPrioritization,
      {},
      h(s.UserMessage, { priority: 1 }, chunk("a", 50), chunk("b", 2)),
      h(s.UserMessage, { priority: 9 }, chunk("c", 1), chunk("d", 3)),
    );
  assert.equal(await gone(content), "c b d a");
});
