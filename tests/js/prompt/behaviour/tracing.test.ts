/** What a tracer gets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, render } from "../pieces.ts";
import { ours as s } from "../subject.ts";

function recorder(): any {
  return {
    epochs: [] as any[],
    included: [] as any[],
    trees: [] as any[],
    addRenderEpoch(epoch: any) {
      this.epochs.push(epoch);
    },
    includeInEpoch(element: any) {
      this.included.push(element);
    },
    didMaterializeTree(tree: any) {
      this.trees.push(tree);
    },
  };
}

test("each group is an epoch, with budgets and what is reserved", async () => {
  const tracer = recorder();
  await render(s, all(h(s.UserMessage, {}, "12345"), h(s.UserMessage, { flexGrow: 2, flexReserve: 20 }, "x")), {
    budget: 100,
    tracer,
  });
  const told = tracer.epochs.map(({ flexValue, tokenBudget, reservedTokens, elements }: any) => [
    flexValue,
    tokenBudget,
    reservedTokens,
    elements.map((each: any) => each.tokenBudget),
  ]);
  assert.deepEqual(told, [
    [0, 100, 0, [100]],
    [0, 100, 20, [80]],
    [2, 92, 0, [92]],
  ]);
  const [root, first, second] = tracer.epochs;
  assert.equal(root.inNode, undefined);
  assert.equal(first.inNode, root.elements[0].id);
  assert.equal(second.inNode, root.elements[0].id);
});

test("elements of a spliced tree are included without a budget", async () => {
  const tracer = recorder();
  const Tool = class extends s.PromptElement {
    render(): any {
      return all(h(s.TextChunk, {}, "a"), h(s.TextChunk, {}, "b"));
    }
  };
  const data = await s.renderElementJSON(Tool, {}, undefined);
  await render(s, h(s.UserMessage, {}, h("elementJSON", { data })), { tracer });
  assert.deepEqual(
    tracer.included.map((each: any) => each.tokenBudget),
    [0, 0, 0],
  );
});

test("the tree can be pruned again and again, to any budget", async () => {
  const tracer = recorder();
  const content = h(
    s.UserMessage,
    {},
    ...["aaa", "bbb", "ccc"].map((text, priority) => h(s.TextChunk, { priority }, text)),
  );
  const { messages } = await render(s, content, { budget: 10, tracer });
  const [{ budget, renderedTree, renderTree, tokenizer }] = tracer.trees;
  // A chunk's text, and the chunk that is empty then.
  assert.deepEqual([budget, renderedTree.budget, renderedTree.removed], [10, 10, 2]);
  assert.equal(typeof tokenizer.tokenLength, "function");
  for (const [budget, removed] of [
    [6, 4],
    [50, 0],
    [6, 4],
    [10, 2],
  ] as const) {
    const again = await renderTree(budget);
    assert.deepEqual([again.budget, again.removed], [budget, removed]);
    // The reference hands out its own nodes, ours plain data that carry their counts.
    const { container } = again;
    assert.ok(
      (typeof container.tokenCount === "function" ? await container.tokenCount(tokenizer) : container.tokens) <= budget,
    );
  }
  assert.equal(messages[0].content[0].text, "bbb\nccc");
});

test("HTMLTracer shows nothing before a render", async () => {
  const tracer = new s.HTMLTracer();
  await assert.rejects(async () => tracer.serveHTML());
});
