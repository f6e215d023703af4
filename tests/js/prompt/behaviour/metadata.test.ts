/** Metadata, used context, ignored files. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, h, render, rendererOf } from "../pieces.ts";
import { ours as s } from "../subject.ts";

class Note extends s.PromptMetadata {
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
}
class Other extends s.PromptMetadata {}

const note = (text: string, local?: boolean): any =>
  h("meta", { value: new Note(text), ...(local === undefined ? {} : { local }) });
const texts = (metadata: any): string[] => metadata.getAll(Note).map(({ text }: Note) => text);

test("metadata is found by its class", async () => {
  const { metadata } = await render(s, h(s.UserMessage, {}, note("one"), note("two"), "x"));
  assert.equal(metadata.get(Note).text, "one");
  assert.deepEqual(texts(metadata), ["one", "two"]);
  assert.equal(metadata.get(Other), undefined);
  assert.deepEqual(metadata.getAll(Other), []);
  assert.equal(metadata.getAll(s.PromptMetadata).length, 2);
});

const pruned = (local: boolean): any =>
  h(
    s.UserMessage,
    {},
    h(s.LogicalWrapper, { priority: 1 }, note("low", local), "low"),
    h(s.LogicalWrapper, { priority: 2 }, note("high", local), "high"),
  );

test("global metadata stays, whatever is removed", async () => {
  assert.deepEqual(texts((await render(s, pruned(false), { budget: 8 })).metadata), ["low", "high"]);
});

test("local metadata goes with its element", async () => {
  assert.deepEqual(texts((await render(s, pruned(true))).metadata), ["low", "high"]);
  assert.deepEqual(texts((await render(s, pruned(true), { budget: 8 })).metadata), ["high"]);
});

test("global metadata comes first, as it is kept on the root", async () => {
  const content = h(
    s.UserMessage,
    {},
    note("local", true),
    h(s.LogicalWrapper, {}, note("inner", true), note("global")),
    "x",
  );
  assert.deepEqual(texts((await render(s, content)).metadata), ["global", "local", "inner"]);
});

/** Everything of one prompt that is collected for the whole, in order. */
async function collected(content: any, tracer?: object): Promise<unknown> {
  const renderer = rendererOf(s, content);
  if (tracer) renderer.tracer = tracer;
  const { metadata } = await renderer.render();
  return [texts(metadata), renderer.getUsedContext(), renderer.getIgnoredFiles()];
}

const marks = (name: string): any[] => [
  note(name),
  h("usedContext", { value: [name] }),
  h("ignoredFiles", { value: [name] }),
];
const inside = (name: string, props: object = {}): any => h(s.LogicalWrapper, { ...props }, ...marks(name));
const Own = component(s);

const ORDERS: [string, any, string[]][] = [
  ["an element's own come before those of its children", h(s.UserMessage, {}, inside("A"), ...marks("B")), ["B", "A"]],
  [
    "children in source order",
    h(s.UserMessage, {}, inside("A"), h(Own, {}, ...marks("B")), inside("C")),
    ["A", "B", "C"],
  ],
  [
    "depth first",
    h(s.UserMessage, {}, h(Own, {}, inside("A"), ...marks("B")), ...marks("C"), inside("D")),
    ["C", "B", "A", "D"],
  ],
  [
    "by flexGrow",
    h(s.UserMessage, {}, inside("A", { flexGrow: 1 }), inside("B"), inside("C", { flexGrow: 2 })),
    ["B", "C", "A"],
  ],
  ["in text chunks", h(s.UserMessage, {}, h(s.TextChunk, {}, ...marks("A"), "x"), ...marks("B")), ["B", "A"]],
];

for (const [name, content, order] of ORDERS) {
  test(`what a prompt collects is in the order of the layout: ${name}`, async () => {
    const expected = [order, order, order];
    assert.deepEqual(await collected(content), expected);
    assert.deepEqual(await collected(content, { addRenderEpoch() {} }), expected);
  });
}

test("metadata of the root stays among what the whole prompt collects", async () => {
  const content = all(note("A", true), h(s.UserMessage, {}, note("B"), "x"), note("C"));
  assert.deepEqual(texts((await render(s, content)).metadata), ["A", "C", "B"]);
});

test("an element of metadata alone is empty", async () => {
  const { messages, metadata } = await render(s, h(s.UserMessage, {}, note("kept", true)));
  assert.deepEqual([messages, texts(metadata)], [[], ["kept"]]);
});

test("a map can be made of a list", () => {
  assert.deepEqual(texts(s.MetadataMap.from([new Other(), new Note("a")])), ["a"]);
  assert.deepEqual([s.MetadataMap.empty.get(Note), s.MetadataMap.empty.getAll(Note)], [undefined, []]);
});

test("used context and ignored files are collected on the renderer", async () => {
  const used = [{ uri: "a", version: 1, ranges: [] }];
  const content = h(
    s.UserMessage,
    {},
    h("usedContext", { value: used }),
    h(s.TextChunk, { priority: 1 }, h("ignoredFiles", { value: ["f", "g"] }), "x"),
    h("ignoredFiles", { value: ["f"] }),
  );
  const renderer = rendererOf(s, content, { budget: 0 });
  const { hasIgnoredFiles } = await renderer.render();
  assert.equal(hasIgnoredFiles, true);
  assert.deepEqual(renderer.getIgnoredFiles(), ["f", "g"]);
  assert.deepEqual(renderer.getUsedContext(), used);
  assert.equal((await render(s, h(s.UserMessage, {}, "x"))).hasIgnoredFiles, false);
});

test("intrinsics without content refuse children, and unknown ones are refused", async () => {
  for (const name of ["meta", "br", "usedContext", "references", "ignoredFiles", "cacheBreakpoint"]) {
    await assert.rejects(render(s, h(s.UserMessage, {}, h(name, { value: [] }, "x"))), /must not have children!/, name);
  }
  await assert.rejects(render(s, h(s.UserMessage, {}, h("marquee"))), /Unknown intrinsic element marquee!/);
});
