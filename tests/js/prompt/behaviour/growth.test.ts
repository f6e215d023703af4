/** Expandable: asked again when there is room. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, h, texts } from "../pieces.ts";
import { ours as s } from "../subject.ts";
import { letters, tokenizerOf } from "../tokenizers.ts";

/** An expandable that writes `share` of its budget in the letter of its name. */
function grows(log: string[], name: string, share: number, props: Record<string, unknown> = {}): any {
  const value = (sizing: any): string => {
    log.push(`${name} ${sizing.tokenBudget}`);
    return name.repeat(Math.floor(sizing.tokenBudget * share));
  };
  return h(s.Expandable, { ...props, value });
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
  assert.deepEqual(log.map((entry) => entry[0]), ["b", "a", "b", "a"]);
});

test("when one has taken all there is, the next is not asked", async () => {
  const log: string[] = [];
  const greedy = (): any => {
    let calls = 0;
    return h(s.Expandable, { value: () => (calls++ === 0 ? "g" : "g".repeat(60)) });
  };
  const content = h(s.UserMessage, {}, greedy(), grows(log, "b", 0));
  await texts(s, content, { budget: 50, tokenizer: tokenizer() }).catch(() => []);
  assert.deepEqual(log, ["b 23"]);
});

test("an exact fit grows nothing, and a value may come later", async () => {
  const log: string[] = [];
  const later = h(s.Expandable, { value: (sizing: any) => Promise.resolve((log.push(`${sizing.tokenBudget}`), "l".repeat(sizing.tokenBudget))) });
  assert.deepEqual(await texts(s, h(s.UserMessage, {}, later), { budget: 10, tokenizer: tokenizer() }), ["user: llllll"]);
  assert.deepEqual(log, ["6"]);
});

test("within a limit it grows up to the limit", async () => {
  const log: string[] = [];
  const content = all(h(s.TokenLimit, { max: 20 }, h(s.UserMessage, {}, grows(log, "a", 0.5))));
  await texts(s, content, { budget: 100, tokenizer: tokenizer() });
  assert.deepEqual(log.slice(0, 2), ["a 16", "a 16"]);
});
