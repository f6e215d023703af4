/** Trees that travel as JSON. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, component, h, render, shrinking, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";

const budget = { tokenBudget: 100, countTokens: (text: string): Promise<number> => Promise.resolve(text.length) };

/** Rendered, sent, received. */
async function sent(content: any, props: Record<string, unknown> = {}): Promise<any> {
  return JSON.parse(
    JSON.stringify(
      await s.renderElementJSON(
        component(s, "Tool", () => content),
        props,
        budget,
      ),
    ),
  );
}

const chunks = (): any =>
  all(
    h(s.TextChunk, { priority: 3 }, "high"),
    h(s.Chunk, { priority: 1 }, "as ", "one"),
    h(
      s.LogicalWrapper,
      { passPriority: true },
      h(s.TextChunk, { priority: 2 }, "middle"),
      h(s.TextChunk, { priority: 0 }, "low"),
    ),
  );

test("a spliced tree prunes like the tree itself", async () => {
  const data = await sent(chunks());
  const there = await shrinking(s, () => h(s.UserMessage, {}, "see: ", h("elementJSON", { data })), 60);
  const here = await shrinking(s, () => h(s.UserMessage, {}, "see: ", h(component(s, "Tool", chunks))), 60);
  assert.deepEqual(there, here);
  assert.deepEqual(there.at(-1), "");
});

test("the format", async () => {
  const content = all(
    h("references", { value: [new s.PromptReference({ variableName: "v" })] }),
    h(s.TextChunk, { priority: 3, flexGrow: 2 }, "hi"),
    h("opaque", { value: 1, tokenUsage: 2, priority: 4 }),
    h(s.Image, { src: "x", detail: "low" }),
    h(s.Document, { data: "d", mediaType: "m" }),
  );
  const { node } = await sent(content, { priority: 9, passPriority: true });
  assert.equal(s.contentType, "application/vnd.codechat.prompt+json.1");
  assert.deepEqual([node.type, node.ctor, node.ctorName, node.flags], [1, 2, "Tool", 4]);
  assert.deepEqual(node.props, { priority: 9, passPriority: true });
  assert.deepEqual(node.references, [{ anchor: { variableName: "v" } }]);
  const [chunk, opaque, image, document] = node.children;
  assert.deepEqual([chunk.ctor, chunk.ctorName, chunk.props], [2, "TextChunk", { flexGrow: 2, priority: 3 }]);
  assert.deepEqual(chunk.children, [{ type: 2, priority: 3, text: "hi", references: [], lineBreakBefore: true }]);
  assert.deepEqual(opaque, { type: 3, value: 1, tokenUsage: 2, priority: 4 });
  const { node: unranked } = await sent(h("opaque", { value: 1 }));
  assert.equal(unranked.children[0].priority, Number.MAX_SAFE_INTEGER);
  assert.deepEqual([image.ctor, image.props.src, image.props.detail], [3, "x", "low"]);
  assert.deepEqual([document.ctor, document.props.data, document.props.mediaType], [4, "d", "m"]);
});

test("keep-with groups survive, apart from those of other splices", async () => {
  const K = s.useKeepWith();
  const data = await sent(all(h(K, { priority: 1 }, "a"), h(K, { priority: 9 }, "b")));
  assert.equal(typeof data.node.children[0].keepWithId, "number");
  const content = (): any =>
    h(
      s.UserMessage,
      {},
      h(s.LogicalWrapper, { priority: 1 }, h("elementJSON", { data })),
      h(s.LogicalWrapper, { priority: 2 }, h("elementJSON", { data })),
    );
  assert.deepEqual(await shrinking(s, content, 30), ["user: a|b|a|b", "user: a|b", ""]);
});

test("nothing is pruned on the way, and messages with words of their own are refused", async () => {
  const { node } = await sent(h(s.TextChunk, {}, "x".repeat(500)));
  assert.equal(node.children[0].children[0].text.length, 500);
  await assert.rejects(sent(h(s.UserMessage, {}, "x")), /Tools may only return text, not messages\./);
});

test("what is not known is skipped", async () => {
  const data = await sent(h(s.TextChunk, {}, "known"));
  data.node.children.push({ type: 99, children: [], from: "the future" });
  data.node.news = { from: "the future" };
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, h("elementJSON", { data }))), ["user: known"]);
});

test("a root that is not known is refused, as everything would be skipped", async () => {
  for (const node of [{ type: 9 }, {}, { type: "1" }]) {
    const content = h(s.UserMessage, {}, "x", h("elementJSON", { data: { node } }));
    await assert.rejects(
      render(s, content),
      s.name === "ours" ? { code: "bad_element", path: "Root > UserMessage" } : TypeError,
    );
  }
});

test("references in a tree are reported where it is spliced in", async () => {
  const data = await sent(
    h(s.TextChunk, {}, h("references", { value: [new s.PromptReference({ variableName: "far" })] }), "x"),
  );
  const result = await render(s, h(s.UserMessage, {}, h("elementJSON", { data })));
  assert.deepEqual(
    result.references.map(({ anchor }: any) => anchor.variableName),
    ["far"],
  );
});

test("nodes of a tree can be walked, and the kept props are named", async () => {
  const { node } = await sent(chunks());
  const seen: string[] = [];
  s.JSONTree.forEachNode(node, (each: any) => seen.push(each.text ?? each.ctorName));
  assert.deepEqual(
    [...seen].sort(),
    [
      "Chunk",
      "LogicalWrapper",
      "TextChunk",
      "TextChunk",
      "TextChunk",
      "Tool",
      "as ",
      "high",
      "low",
      "middle",
      "one",
    ].sort(),
  );
  assert.deepEqual([...s.JSONTree.jsonRetainedProps].sort(), [
    "flexBasis",
    "flexGrow",
    "flexReserve",
    "passPriority",
    "priority",
  ]);
});
