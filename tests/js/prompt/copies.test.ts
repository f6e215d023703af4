/**
 * Two copies of the package in one process: the ES module and the CommonJS file, as a bundle with a CommonJS dependency
 * has them.
 */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { all, component, h, texts } from "./pieces.ts";
import type { Subject } from "./subject.ts";
import { ours, rehearsal } from "./subject.ts";

const skip = rehearsal;
const other: Subject = skip
  ? ours
  : {
      ...(createRequire(import.meta.url)("../../../pkg/dist/prompt-tsx-node.cjs") as Record<string, any>),
      name: "ours",
    };

/** Every element that the renderer treats in a way of its own, in budgets that prune. */
function prompt(s: Subject): any {
  const Keep = s.useKeepWith();
  const Other = s.useKeepWith();
  const call = (id: string, keepWith: unknown): any => ({
    id,
    type: "function",
    function: { name: "f", arguments: "{}" },
    keepWith,
  });
  class Deep extends s.Chunk {}
  class Deeper extends (Deep as any) {}
  const Part = component(s, "Part", (_, sizing) => h(s.TextChunk, {}, sizing.tokenBudget > 0 ? "part" : ""));
  return all(
    h(s.SystemMessage, {}, "rules"),
    h(
      s.UserMessage,
      { priority: 5 },
      "a",
      h(s.TextChunk, { priority: 1 }, "chunk ", "of text"),
      h(Part),
      h(s.TextChunk, { breakOnWhitespace: true, priority: 2 }, "words to break"),
    ),
    h(
      s.UserMessage,
      { priority: 4 },
      h(
        s.TokenLimit,
        { max: 12 },
        h(s.TextChunk, { priority: 1 }, "limited"),
        h(s.TextChunk, { priority: 2 }, "content"),
      ),
    ),
    h(
      s.UserMessage,
      { priority: 6 },
      h(Deeper, { priority: 1 }, h(s.TextChunk, {}, "goes"), h(s.TextChunk, {}, "whole")),
      h(s.IfEmpty, { alt: "nothing" }, ""),
    ),
    h(s.AssistantMessage, { priority: 7, toolCalls: [call("1", Keep), call("2", Other)] }, "calls"),
    h(Keep, { priority: 3 }, h(s.ToolMessage, { toolCallId: "1" }, "result one")),
    h(Other, { priority: 8 }, h(s.ToolMessage, { toolCallId: "2" }, "result two")),
    h(
      s.UserMessage,
      { priority: 9 },
      h(s.Image, { src: "iVBORw0KGgo=" }),
      h(s.Document, { data: "JVBERi0=", mediaType: "application/pdf" }),
    ),
    h(
      s.PrioritizedList,
      { priority: 2, descending: false },
      h(s.UserMessage, {}, "older"),
      h(s.UserMessage, {}, "newer"),
    ),
    h(
      s.UserMessage,
      { priority: 3 },
      h(s.LegacyPrioritization, {}, h(s.TextChunk, { priority: 1 }, "legacy")),
      h(s.Expandable, { value: ({ tokenBudget }: any) => `grows ${tokenBudget > 50}` }),
    ),
  );
}

test("elements of one copy render in the renderer of the other", { skip }, async () => {
  assert.notEqual(other.TextChunk, ours.TextChunk);
  for (const budget of [1000, 150, 120, 100, 80, 60]) {
    const expected = await texts(ours, prompt(ours), { budget });
    assert.deepEqual(await texts(ours, prompt(other), { budget }), expected, `ES module, budget ${budget}`);
    assert.deepEqual(await texts(other, prompt(ours), { budget }), expected, `CommonJS, budget ${budget}`);
  }
});

test("what is kept together in one copy is not kept with another's", { skip }, async () => {
  const [Keep, Else] = [ours.useKeepWith(), other.useKeepWith()];
  assert.notEqual(Keep.id, Else.id);
});

test("messages and failures are recognised across copies", { skip }, async () => {
  assert.ok(ours.isChatMessagePromptElement(new other.UserMessage({})));
  assert.ok(!ours.isChatMessagePromptElement(new other.ToolMessage({ toolCallId: "x" })));
  const failure = await texts(other, h(other.UserMessage, {}, "text", h("cacheBreakpoint")), { budget: 2 }).catch(
    (error: unknown) => error,
  );
  assert.ok(failure instanceof ours.BudgetExceededError);
  assert.ok(!(new Error("x") instanceof ours.BudgetExceededError));
});
