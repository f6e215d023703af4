/** Pieces, elements and references by themselves: what they are made of before anything is rendered. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AbstractKeepWith,
  AssistantMessage,
  BaseChatMessage,
  Chunk,
  Document,
  Expandable,
  IfEmpty,
  Image,
  isChatMessagePromptElement,
  LogicalWrapper,
  PrioritizedList,
  SystemMessage,
  TextChunk,
  ToolMessage,
  ToolResult,
  useKeepWith,
  UserMessage,
} from "../../../js/prompt/elements/index.ts";
import { createPiece, Fragment, isFragment } from "../../../js/prompt/piece.ts";
import {
  ChatResponseReferencePartStatusKind,
  MetadataMap,
  PromptMetadata,
  PromptReference,
} from "../../../js/prompt/results.ts";
import { Uri } from "../../../js/prompt/uri.ts";
import type { PromptPiece, PromptChildren, BasePromptSizing } from "../../../js/prompt/piece.ts";

const sizing = (tokenBudget: number): BasePromptSizing => ({
  tokenBudget,
  endpoint: { modelMaxPromptTokens: tokenBudget },
  countTokens: async (part) =>
    (typeof part === "string" ? part : (part as { text: string }).text).split(/\s+/).filter(Boolean).length,
});
const children = (piece: unknown) => (piece as PromptPiece).children;

test("pieces", () => {
  const piece = createPiece("br", null, "a", ["b", ["c"]], undefined);
  assert.deepEqual(piece, { ctor: "br", props: null, children: ["a", "b", ["c"], undefined] });
  assert.ok(
    isFragment(Fragment) &&
      isFragment(Object.assign(() => {}, { isFragment: true })) &&
      !isFragment(UserMessage) &&
      !isFragment("br"),
  );
  assert.throws(() => (Fragment as () => void)());
});

test("messages know their roles", () => {
  const props = {};
  assert.equal(new UserMessage(props).props, props);
  assert.deepEqual(props, { role: 1 });
  const frozen = Object.freeze({ name: "ann" });
  assert.deepEqual([new SystemMessage(frozen).props, frozen], [{ name: "ann", role: 0 }, { name: "ann" }]);
  const made = [
    new SystemMessage({}),
    new UserMessage({}),
    new AssistantMessage({}),
    new ToolMessage({ toolCallId: "a" }),
  ];
  assert.deepEqual(
    made.map((one) => one.props.role),
    [0, 1, 2, 3],
  );
  assert.deepEqual(made.map(isChatMessagePromptElement), [true, true, true, false]);
  assert.ok(made.every((one) => one instanceof BaseChatMessage) && !isChatMessagePromptElement(undefined));
  assert.deepEqual(
    [
      new UserMessage({}).priority,
      new UserMessage({ priority: 3 }).priority,
      new UserMessage({}).insertLineBreakBefore,
    ],
    [Number.MAX_SAFE_INTEGER, 3, true],
  );
});

test("what stands in an element is its children", () => {
  for (const ctor of [UserMessage, Chunk, LogicalWrapper, Image, Document]) {
    const element = new (ctor as new (props: object) => LogicalWrapper)({ children: ["a", "b"] });
    assert.deepEqual(element.render(), { ctor: Fragment, props: null, children: ["a", "b"] });
  }
});

test("IfEmpty has two parts, however many children", () => {
  const [alternative, content] = children(
    new IfEmpty({ alt: "none", children: ["a", "b"] } as never).render(),
  ) as PromptPiece[];
  assert.deepEqual([alternative!.ctor, alternative!.children], [LogicalWrapper, ["none"]]);
  assert.deepEqual([content!.ctor, content!.props, content!.children], [LogicalWrapper, { flexGrow: 1 }, ["a", "b"]]);
});

test("PrioritizedList ranks copies", () => {
  const shared = createPiece(Chunk, null, "x");
  const ranks = (list: PromptChildren[], props: object) =>
    (children(new PrioritizedList({ children: list, ...props } as never).render()) as (PromptPiece | undefined)[]).map(
      (child) => child && (child.props as { priority?: number }).priority,
    );
  assert.deepEqual(ranks([shared, "text", undefined, 7, shared], { priority: 100, descending: true }), [
    100,
    99,
    undefined,
    97,
    96,
  ]);
  assert.deepEqual(ranks([shared, "text", false, null, shared], { priority: 100, descending: false }), [
    95,
    96,
    undefined,
    undefined,
    99,
  ]);
  assert.deepEqual(ranks([shared], { descending: false }), [-1]);
  assert.equal(shared.props, null);
  assert.equal(new PrioritizedList({ descending: true }).render(), undefined);
  const [text] = children(
    new PrioritizedList({ children: ["text"], descending: true } as never).render(),
  ) as PromptPiece[];
  assert.deepEqual([text!.ctor, text!.children], [TextChunk, ["text"]]);
});

test("TextChunk", async () => {
  const whole = new TextChunk({ children: ["a ", createPiece("br", null), "b"] } as never);
  assert.deepEqual(children(await whole.prepare(sizing(0))), ["a ", createPiece("br", null), "b"]);
  const mark = createPiece("references", { value: [] });
  const list = [
    "one ",
    false,
    null,
    createPiece(Fragment, null, "two", createPiece("br", null)),
    mark,
    new Set(["three ", 4]),
  ];
  const cut = async (budget: number, props: object) =>
    children(await new TextChunk({ children: list, ...props } as never).prepare(sizing(budget)));
  assert.deepEqual(await cut(3, { breakOnWhitespace: true }), [mark, "one two\nthree"]);
  assert.deepEqual(await cut(3, { breakOn: "\n" }), [mark, "one two"]);
  assert.deepEqual(await cut(9, { breakOn: /\n/g }), [mark, "one two\nthree 4"]);
  await assert.rejects(cut(9, { breakOn: /\n/ }), /must have the global flag set \(got \/\\n\/\)/);
  await assert.rejects(
    new TextChunk({ breakOn: "x", children: [createPiece(Chunk, null)] } as never).prepare(sizing(1)),
    /^EspalierError: TextChunk children must be text literals or intrinsic attributes\.$/,
  );
});

test("Expandable, ToolResult, keep-with", async () => {
  assert.deepEqual(
    children(
      await new Expandable({ value: async ({ tokenBudget }) => "x".repeat(tokenBudget) }).render(undefined, sizing(3)),
    ),
    ["xxx"],
  );
  const tree = { node: { type: 1 } };
  const parts = [
    { value: "text" },
    { value: tree },
    null,
    7,
    { value: 7 },
    { value: { node: null } },
    { data: new Uint8Array() },
  ];
  assert.deepEqual(children(new ToolResult({ data: { content: parts } }).render()), [
    "text",
    createPiece("elementJSON", { data: tree }),
    ...Array(5).fill(undefined),
  ]);
  const [A, B] = [useKeepWith(), useKeepWith()];
  assert.ok(A.id !== B.id && new A({}).id === A.id && new A({}) instanceof AbstractKeepWith && A.name === "KeepWith");
});

test("metadata by class", () => {
  class Note extends PromptMetadata {}
  class Other extends PromptMetadata {}
  const [a, b] = [new Note(), new Note()];
  const map = MetadataMap.from([a, b]);
  assert.deepEqual([map.get(Note), map.getAll(Note), map.get(Other), map.getAll(Other)], [a, [a, b], undefined, []]);
  assert.deepEqual([MetadataMap.empty.get(Note), MetadataMap.empty.getAll(Note), String(a)], [undefined, [], "Note"]);
});

test("references survive JSON", () => {
  const uri = Uri.parse("file:///c%3A/a%20b.ts#L1");
  const range = { start: { line: 1, character: 2 }, end: { line: 3, character: 4 } };
  const status = { status: { description: "cut", kind: ChatResponseReferencePartStatusKind.Partial } };
  for (const reference of [
    new PromptReference(uri),
    new PromptReference({ uri, range }),
    new PromptReference({ variableName: "x" }),
    new PromptReference({ variableName: "x", value: { uri, range } }),
    new PromptReference({ variableName: "x", value: uri }, { id: "book" }),
    new PromptReference(uri, uri, status),
    new PromptReference(uri, { light: uri, dark: uri }),
  ]) {
    const json = JSON.stringify(reference);
    const back = PromptReference.fromJSON(JSON.parse(json));
    assert.equal(JSON.stringify(back), json);
    const address = (value: unknown) => (value instanceof Uri ? value.fsPath : undefined);
    assert.equal(address(back.anchor), address(reference.anchor));
  }
  assert.deepEqual(
    [ChatResponseReferencePartStatusKind.Omitted, ChatResponseReferencePartStatusKind[1]],
    [3, "Complete"],
  );
});

test("addresses", () => {
  const rows: [string, string, string, string][] = [
    ["file:///c%3A/foo/b%20r.ts", "file:///c%3A/foo/b%20r.ts", "file:///c:/foo/b r.ts", "c:/foo/b r.ts"],
    ["file://server/share/a", "file://server/share/a", "file://server/share/a", "//server/share/a"],
    [
      "https://Example.org:8080/a/b?x=1#f",
      "https://example.org:8080/a/b?x%3D1#f",
      "https://example.org:8080/a/b?x=1#f",
      "/a/b",
    ],
    ["untitled:Untitled-1", "untitled:Untitled-1", "untitled:Untitled-1", "Untitled-1"],
    ["file:///a%20/%C3", "file:///a%20/%25C3", "file:///a /%C3", "/a /%C3"],
  ];
  for (const [given, strict, light, path] of rows) {
    const uri = Uri.parse(given);
    assert.deepEqual([uri.toString(), uri.toString(true)], [strict, light]);
    if (process.platform !== "win32") assert.equal(uri.fsPath, path);
    assert.equal(Uri.from(JSON.parse(JSON.stringify(uri))).toString(), strict);
    assert.ok(Uri.isUri(uri) && !Uri.isUri(uri.toJSON()) && !Uri.isUri(undefined));
  }
  const uri = Uri.file("/a b/c#d");
  assert.deepEqual(uri.toJSON(), { $mid: 1, path: "/a b/c#d", scheme: "file" });
  assert.equal(uri.with({}), uri);
  assert.equal(uri.with({ path: "/x", query: "q", fragment: null }).toString(), "file:///x?q");
});

test("a result's parts that are not for the model have no place in the prompt", () => {
  const tree = { node: { type: 1, children: [] } };
  const content = [
    { value: "a", audience: [1] },
    { value: "b", audience: [0, 1] },
    { value: "c", audience: [] },
    { value: tree, audience: [2] },
    { value: "d", annotations: { audience: ["user"] } },
    { value: "e" },
  ];
  assert.deepEqual(
    children(new ToolResult({ data: { content } }).render()).filter((child) => child !== undefined),
    ["b", "c", "e"],
  );
});
