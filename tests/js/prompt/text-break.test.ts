/** Cutting a text at a break: the same as counting every beginning, for a fraction of the characters. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { longestFittingPrefix } from "../../../js/prompt/text-break.ts";
import type { BasePromptSizing } from "../../../js/prompt/piece.ts";
import { runs } from "../runs.ts";

type Counter = (text: string) => number;

/** A sizing that counts what it is asked for, and how much. */
function sizing(tokenBudget: number, counter: Counter): BasePromptSizing & { spent: number; calls: number } {
  return {
    tokenBudget,
    endpoint: { modelMaxPromptTokens: tokenBudget },
    spent: 0,
    calls: 0,
    countTokens(part) {
      const text = typeof part === "string" ? part : part.type === 1 ? part.text : "";
      this.spent += text.length;
      this.calls++;
      return counter(text);
    },
  };
}

/** The definition: beginnings in order, up to the first that is too long. */
function plainly(text: string, breakOn: RegExp | string, budget: number, counter: Counter): string {
  const at = typeof breakOn === "string" ? [] : [...text.matchAll(breakOn)].map((match) => match.index);
  if (typeof breakOn === "string")
    for (let i = text.indexOf(breakOn); i >= 0; i = text.indexOf(breakOn, i + breakOn.length)) at.push(i);
  let out = "";
  for (const end of [...at, text.length]) {
    if (counter(text.slice(0, end)) > budget) return out;
    out = text.slice(0, end);
  }
  return out;
}

const quarter: Counter = (text) => Math.ceil(text.length / 4);
const words: Counter = (text) => text.split(/\s+/).filter(Boolean).length;
/** Long words cost more, as in a real encoding, and a call costs something by itself. */
const uneven: Counter = (text) =>
  3 + text.split(/(?=\s)/).reduce((sum, word) => sum + 1 + Math.floor(word.length / 7), 0);
const counters = fc.constantFrom(
  quarter,
  words,
  uneven,
  (text: string) => text.length,
  () => 1,
  () => 0,
);
const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[a-z]{0,12}$/) },
      fc.constantFrom(" ", "\n", "  ", ",", ", "),
      fc.string({ maxLength: 40 }),
    ),
  )
  .map((parts) => parts.join(" "));
const breakOn = fc.constantFrom<RegExp | string>(
  /\s+/g,
  /\n/g,
  /,\s*/g,
  / ?/g,
  /(?=[a-c])/g,
  /$/gm,
  / /gy,
  "\n",
  ", ",
  " ",
  "ab",
);

test("the same as counting every beginning", async () => {
  await fc.assert(
    fc.asyncProperty(text, breakOn, counters, fc.integer({ min: -1, max: 120 }), async (given, at, counter, budget) => {
      const cut = await longestFittingPrefix(given, at, sizing(budget, counter), undefined);
      assert.equal(cut, plainly(given, at, budget, counter));
    }),
    { numRuns: runs(2000) },
  );
});

test("whatever the tokenizer says, the result fits, and is not shorter", async () => {
  const erratic: Counter = (said) => Math.floor(said.length / 3) + ((said.length * 7919) % 23);
  await fc.assert(
    fc.asyncProperty(text, breakOn, fc.integer({ min: 0, max: 150 }), async (given, at, budget) => {
      const cut = await longestFittingPrefix(given, at, sizing(budget, erratic), undefined);
      assert.ok(cut === "" || erratic(cut) <= budget);
      assert.ok(given.startsWith(cut) && cut.length >= plainly(given, at, budget, erratic).length);
    }),
    { numRuns: runs(1000) },
  );
});

test("few characters are counted", async () => {
  const given = Array.from({ length: 4000 }, (_, i) => "abcdefghijkl".slice(0, 2 + ((i * 7) % 10))).join(" ");
  for (const counter of [quarter, words, uneven]) {
    const total = counter(given);
    for (let percent = 0; percent <= 150; percent += 10) {
      const room = sizing(Math.floor((total * percent) / 100), counter);
      const cut = await longestFittingPrefix(given, /\s+/g, room, undefined);
      const longer = given.slice(0, given.indexOf(" ", cut.length + 1));
      assert.ok(
        cut === given || (counter(longer) > room.tokenBudget && (cut === "" || counter(cut) <= room.tokenBudget)),
      );
      assert.ok(
        room.spent <= 3.3 * given.length && room.calls <= 30,
        `${percent} %: ${room.spent / given.length} times the text, ${room.calls} calls`,
      );
      if (percent <= 85) assert.ok(room.spent <= 3 * given.length);
      if (percent >= 120) assert.ok(room.spent <= 1.2 * given.length);
    }
  }
});

test("what a caller may get wrong", async () => {
  await assert.rejects(
    longestFittingPrefix("a b", /\s/, sizing(1, words)),
    /^EspalierError: `breakOn` expression must have the global flag set \(got \/\\s\/\)$/,
  );
  // A budget of nothing leaves nothing; an expression is not used up, and may be shared by texts that are cut at the
  // same time.
  assert.equal(await longestFittingPrefix("a b", /\s/g, sizing(0, words)), "");
  const shared = /\s+/g;
  shared.lastIndex = 2;
  const slow: BasePromptSizing = {
    ...sizing(2, words),
    countTokens: async (part) => words((part as { text: string }).text),
  };
  const cut = await Promise.all(
    ["a b c d", "one two three", "x  y  z"].map((given) => longestFittingPrefix(given, shared, slow)),
  );
  assert.deepEqual(cut, ["a b", "one two", "x  y"]);
  assert.equal(shared.lastIndex, 2);
});
