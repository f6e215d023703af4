/** References of what is in the prompt, and of what had to go. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { h, render } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const variable = (name: string): any => new s.PromptReference({ variableName: name });
const cite = (...names: string[]): any => h("references", { value: names.map(variable) });
const names = (list: any[]): string[] => list.map(({ anchor }) => anchor.variableName);

const content = (): any =>
  h(
    s.UserMessage,
    {},
    cite("message"),
    h(s.TextChunk, { priority: 1 }, cite("low"), "low"),
    h(s.TextChunk, { priority: 2 }, cite("high", "twice"), "high"),
    h(s.LogicalWrapper, { priority: 3 }, cite("twice"), "rest"),
  );

test("all of them if all stays, each name once", async () => {
  const result = await render(s, content());
  assert.deepEqual([names(result.references), result.omittedReferences], [["message", "low", "high", "twice"], []]);
});

test("those of removed text are omitted, unless they are named elsewhere", async () => {
  const one = await render(s, content(), { budget: 13 });
  assert.deepEqual([names(one.references), names(one.omittedReferences)], [["message", "high", "twice"], ["low"]]);
  const two = await render(s, content(), { budget: 8 });
  assert.deepEqual(
    [names(two.references), names(two.omittedReferences)],
    [
      ["message", "twice"],
      ["low", "high"],
    ],
  );
});

test("places are reported as often as they are given", async () => {
  const place = (): any =>
    new s.PromptReference(
      { scheme: "file", path: "/a" },
      { id: "icon" },
      { status: { description: "part", kind: s.ChatResponseReferencePartStatusKind.Partial } },
    );
  const result = await render(s, h(s.UserMessage, {}, h("references", { value: [place(), place()] }), "x"));
  assert.equal(result.references.length, 2);
  assert.equal(result.references[0].options.status.kind, 2);
  assert.equal(result.references[0].iconPath.id, "icon");
});

test("a reference survives JSON", async () => {
  const before = new s.PromptReference(
    { variableName: "v", value: { scheme: "file", authority: "", path: "/a", query: "", fragment: "" } },
    undefined,
    { status: { description: "d", kind: 1 } },
  );
  const after = s.PromptReference.fromJSON(JSON.parse(JSON.stringify(before.toJSON())));
  assert.equal(after.anchor.variableName, "v");
  assert.equal(after.anchor.value.path, "/a");
  assert.deepEqual(after.options, { status: { description: "d", kind: 1 } });
});
