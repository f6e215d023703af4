/** Expandable: asked again when there is room. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../../built.ts";
import { all, component, h, render, texts } from "../pieces.ts";
import { ours as s, rehearsal } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

/** An expandable that writes `share` of its budget in the letter of its name. */
function grows(log: string[], name: string, share: number, props: Record<string, unknown> = {}): any {
  const value = (sizing: any): string => {
    log.push(`${name} ${sizing.tokenBudget}`);
    return name.repeat(Math.floor(sizing.tokenBudget * share));
  };
  return h(s.Expandable, { ...props, value });
}

/** A prompt whose expandable brings a reference and metadata, others once it grew beyond its room. */
function described(): { Root: any; first: any; later: any } {
  class Later extends s.PromptMetadata {}
  const [first, later] = ["first", "later"].map((variableName) => ({ variableName }));
  let calls = 0;
  const content = (anchor: any, count: number, ...more: any[]) =>
    all("g".repeat(count), h("references", { value: [new s.PromptReference(anchor)] }), ...more);
  const value = () =>
    calls++ === 0 ? content(first, 5) : content(later, 29, h("meta", { value: new Later(), local: true }));
  return { Root: component(s, "Root", () => h(s.UserMessage, {}, h(s.Expandable, { value }))), first, later: Later };
}

const tokenizer = (): any => tokenizerOf(s, { count: letters, base: 4 });

test("beside others it takes the room that they leave", async () => {
  const log: string[] = [];
  const content = h(s.UserMessage, {}, grows(log, "a", 1), h(s.TextChunk, {}, "xx"));
  const [text] = await texts(s, content, { budget: 50, tokenizer: tokenizer() });
  assert.deepEqual(log, ["a 23", "a 43"]);
  assert.equal(text, `user: ${"a".repeat(43)}|xx`);
});

test("several are asked in the order in which they were rendered", async () => {
  const log: string[] = [];
  const content = h(s.UserMessage, {}, grows(log, "a", 0.5, { flexGrow: 1 }), grows(log, "b", 0.5));
  await texts(s, content, { budget: 50, tokenizer: tokenizer() });
  assert.deepEqual(
    log.map((entry) => entry[0]),
    ["b", "a", "b", "a"],
  );
});

/** An expandable of one letter that answers a second call with `count` letters. */
function greedy(count: number, props: Record<string, unknown> = {}): any {
  let calls = 0;
  return h(s.Expandable, { ...props, value: () => (calls++ === 0 ? "g" : "g".repeat(count)) });
}

test("when one has taken all there is, the next is not asked", async () => {
  const log: string[] = [];
  const content = h(s.UserMessage, {}, greedy(45), grows(log, "b", 0));
  assert.deepEqual(await texts(s, content, { budget: 50, tokenizer: tokenizer() }), [`user: ${"g".repeat(45)}|`]);
  assert.deepEqual(log, ["b 23"]);
});

test("growth that does not fit is taken back, and the next is asked", { skip: rehearsal }, async () => {
  const log: string[] = [];
  const content = h(s.UserMessage, {}, greedy(48), grows(log, "b", 0.5));
  assert.deepEqual(await texts(s, content, { budget: 50, tokenizer: tokenizer() }), [`user: g|${"b".repeat(22)}`]);
  assert.deepEqual(log, ["b 23", "b 44"]);
});

test("growth that alone exceeds the limit goes by its rank, and no other is asked", async () => {
  const log: string[] = [];
  const content = h(s.UserMessage, {}, grows(log, "b", 0.1, { flexGrow: 1 }), greedy(60), h(s.TextChunk, {}, "tt"));
  // All are equal in rank, so that what comes first goes first.
  assert.deepEqual(await texts(s, content, { budget: 50, tokenizer: tokenizer() }), ["user: tt"]);
  assert.deepEqual(log.length, 1);
});

test("growth that alone exceeds the limit is taken back where nothing else may go, and in the native render", {
  skip: rehearsal,
}, async () => {
  const content = h(s.UserMessage, {}, greedy(60), h("cacheBreakpoint", { type: "x" }));
  assert.deepEqual(await texts(s, content, { budget: 50, tokenizer: tokenizer() }), ["user: g[breakpoint]"]);
  let calls = 0;
  const value = () => (calls++ === 0 ? "first" : "second ".repeat(60));
  const { messages } = await espalier.render(h(s.UserMessage, {}, h(s.Expandable, { value })), { budget: 50 });
  assert.deepEqual(messages, [{ role: "user", content: "first" }]);
});

test("of several that do not fit together, the last is taken back", { skip: rehearsal }, async () => {
  // A line break goes before each chunk and is charged to no element.
  const chunk = (count: number) => h(s.TextChunk, {}, "t".repeat(count));
  const content = h(s.UserMessage, {}, greedy(10), chunk(4), greedy(26), chunk(4));
  const [text] = await texts(s, content, { budget: 50, tokenizer: tokenizer() });
  assert.equal(text, `user: ${"g".repeat(10)}|tttt|${"g".repeat(26)}|tttt`.replace(/g{26}/, "g"));
});

test("growth that was taken back leaves no metadata, references or removals", { skip: rehearsal }, async () => {
  const { Root, first, later } = described();
  const renderer = new s.PromptRenderer({ modelMaxPromptTokens: 30 }, Root, {}, tokenizer());
  const { references, omittedReferences, metadata, tokenCount } = await renderer.render();
  assert.deepEqual(
    references.map((each: any) => each.anchor),
    [first],
  );
  assert.deepEqual(omittedReferences, []);
  assert.deepEqual(metadata.getAll(later), []);
  assert.equal(tokenCount, 4 + 5);
});

test("content that an inner limit removed stays removed when growth is taken back", { skip: rehearsal }, async () => {
  let calls = 0;
  const parts = (letter: string, count: number) =>
    all(...[3, 2, 1].map((priority) => h(s.TextChunk, { priority }, letter.repeat(count))));
  const own = component(s, "Own", () =>
    h(s.Expandable, { value: () => (calls++ === 0 ? parts("a", 5) : "b".repeat(38)) }),
  );
  const content = h(s.UserMessage, {}, h(s.TokenLimit, { max: 13 }, h(own)));
  assert.deepEqual(await texts(s, content, { budget: 40, tokenizer: tokenizer() }), ["user: aaaaa|aaaaa"]);
});

test("a prompt cut to other budgets grows anew for each", { skip: rehearsal }, async () => {
  const asked: number[] = [];
  const value = ({ tokenBudget }: any) => (
    asked.push(tokenBudget), asked.length === 1 ? "g" : "g".repeat(tokenBudget > 20 ? 38 : tokenBudget)
  );
  const seen: any = {};
  const tracer = { didMaterializeTree: (trace: any) => Object.assign(seen, trace) };
  await render(s, h(s.UserMessage, {}, h(s.Expandable, { value })), { budget: 50, tokenizer: tokenizer(), tracer });
  const tokens = async (budget: number) => (await seen.renderTree(budget)).container.tokens;
  assert.deepEqual([await tokens(20), await tokens(40), await tokens(20)], [20, 5, 20]);
});

test("an exact fit grows nothing, and a value may come later", async () => {
  const log: string[] = [];
  const later = h(s.Expandable, {
    value: (sizing: any) => Promise.resolve((log.push(`${sizing.tokenBudget}`), "l".repeat(sizing.tokenBudget))),
  });
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, later), { budget: 10, tokenizer: tokenizer() }), [
    "user: llllll",
  ]);
  assert.deepEqual(log, ["6"]);
});

test("within a limit it grows up to the limit", async () => {
  const log: string[] = [];
  const content = all(h(s.TokenLimit, { max: 20 }, h(s.UserMessage, {}, grows(log, "a", 0.5))));
  await texts(s, content, { budget: 100, tokenizer: tokenizer() });
  assert.deepEqual(log.slice(0, 2), ["a 16", "a 16"]);
});
