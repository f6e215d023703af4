/** How much goes: as little as fits the budget. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, render, shrinking, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, quarters, tokenizerOf, words } from "../tokenizers.ts";

const lines = (count: number): any =>
  h(s.UserMessage, {}, ...Array.from({ length: count }, (_, at) => h(s.TextChunk, { priority: at }, `line ${at}`)));

test("a budget that is met exactly takes nothing away", async () => {
  assert.deepEqual(await texts(s, lines(3), { budget: 3 + 20 }), ["user: line 0|line 1|line 2"]);
  assert.deepEqual(await texts(s, lines(3), { budget: 3 + 19 }), ["user: line 1|line 2"]);
});

test("with every tokenizer the result fits, and one line more would not", async () => {
  for (const count of [letters, quarters, words]) {
    const whole = (await render(s, lines(30), { tokenizer: tokenizerOf(s, { count }) })).tokenCount;
    for (let budget = 10; budget < whole; budget += 7) {
      const { tokenCount, messages } = await render(s, lines(30), { tokenizer: tokenizerOf(s, { count }), budget });
      assert.ok(tokenCount <= budget);
      const first = Number(/\d+/.exec(messages[0].content[0].text)?.[0]);
      const more = 3 + count(`line ${first - 1}\n${messages[0].content[0].text}`);
      assert.ok(more > budget, `${budget}: ${more} would have fitted`);
    }
  }
});

test("messages that become empty disappear with what they cost", async () => {
  const content = (): any =>
    all(h(s.UserMessage, { priority: 1 }, h(s.TextChunk, {}, "a")), h(s.UserMessage, { priority: 2 }, "b"));
  assert.deepEqual(await shrinking(s, content, 8), ["user: a user: b", "user: b", ""]);
});

test("a budget of nothing is met by nothing", async () => {
  const result = await render(s, lines(3), { budget: 0 });
  assert.deepEqual([result.messages, result.tokenCount], [[], 0]);
});

test("a budget that cannot be met is an error with what there was", async () => {
  await assert.rejects(render(s, lines(3), { budget: -1 }), (error: any) => {
    assert.ok(error instanceof s.BudgetExceededError);
    assert.match(error.message, /^No lowest priority node found/);
    assert.equal(error.messages.length, 1);
    assert.equal(error.messages[0].content[0].text, "line 0\nline 1\nline 2");
    assert.deepEqual(error.metadata.getAll(s.PromptMetadata), []);
    return true;
  });
});
