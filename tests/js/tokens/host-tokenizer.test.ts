/** A host's own tokenizer in place of an encoding. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { espalier } from "../built.ts";
import { runs } from "../runs.ts";

const { breakdown, compact, count, countMessages, countPart, countTools, prune, Pruner } = espalier;

const session = JSON.parse(
  readFileSync(new URL("../../fixtures/transcripts/cline-sidebar.json", import.meta.url), "utf8"),
) as { messages: unknown[] };
const messages = Array.isArray(session) ? session : session.messages;
const words = (text: string) => text.split(/\s+/).filter(Boolean).length;
const chars = (text: string) => Math.ceil(text.length / 4);

test("a tokenizer that counts as an encoding does gives what the encoding gives", async () => {
  const own = (text: string) => count(text, { encoding: "cl100k_base" });
  const tools = [
    {
      type: "function",
      function: {
        name: "f",
        description: "Does it.",
        parameters: { type: "object", properties: { a: { type: "string" } } },
      },
    },
  ];
  const same = <T extends { encoding: string }>(run: (how: object) => T) => {
    const [theirs, ours] = [run({ tokenizer: own }), run({ encoding: "cl100k_base" })];
    assert.equal(theirs.encoding, "host");
    assert.deepEqual({ ...theirs, encoding: "" }, { ...ours, encoding: "" });
  };
  same((how) => countMessages(messages, { ...how, tools }));
  same((how) => countTools(tools, how));
  same((how) => prune(messages, { ...how, budget: 4_000 }).report);
  assert.deepEqual(
    countPart({ type: "text", text: "one two" }, { tokenizer: own }),
    countPart({ type: "text", text: "one two" }, { encoding: "cl100k_base" }),
  );
  assert.deepEqual(breakdown(messages, { tokenizer: own }), breakdown(messages, { encoding: "cl100k_base" }));
  const pruned = prune(messages, { tokenizer: own, budget: 4_000 });
  assert.deepEqual(pruned.messages, prune(messages, { encoding: "cl100k_base", budget: 4_000 }).messages);
  const [one, other] = [
    await compact(messages, { tokenizer: own, budget: 3_000 }),
    await compact(messages, { encoding: "cl100k_base", budget: 3_000 }),
  ];
  assert.deepEqual([one.status, one.messages.length], [other.status, other.messages.length]);
});

test("results keep to the budget as the tokenizer counts it", async () => {
  for (const tokenizer of [words, chars]) {
    const { total } = countMessages(messages, { tokenizer });
    for (const share of [0.2, 0.5, 0.9]) {
      const budget = Math.floor(total * share);
      const pruned = prune(messages, { tokenizer, budget });
      assert.ok(countMessages(pruned.messages, { tokenizer }).total <= budget);
      const compacted = await compact(messages, {
        tokenizer,
        budget,
        llm: async () => "<summary>All of it.</summary>",
      });
      assert.ok(countMessages(compacted.messages, { tokenizer }).total <= budget, `${compacted.status} at ${budget}`);
    }
  }
});

test("random texts cost what the tokenizer says", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }), (texts) => {
      const list = texts.map((content) => ({ role: "user", content }));
      const { perMessage } = countMessages(list, { tokenizer: chars });
      // What a message costs beside its text is the cost model's.
      const frame =
        countMessages([{ role: "user", content: "" }], { tokenizer: chars }).perMessage[0]!.tokens - chars("");
      assert.deepEqual(
        perMessage.map(({ tokens }) => tokens),
        texts.map((text) => frame + chars(text)),
      );
    }),
    { numRuns: runs(100) },
  );
});

test("a text is counted once, whichever call asks", () => {
  const asked: string[] = [];
  const tokenizer = (text: string) => (asked.push(text), words(text));
  prune(messages, { tokenizer, budget: 2_000 });
  assert.equal(asked.length, new Set(asked).size);
  asked.length = 0;
  prune(messages, { tokenizer, budget: 2_000 });
  assert.deepEqual(asked, []);
});

test("a pruner that is given another tokenizer counts anew", () => {
  const pruner = new Pruner();
  const list = [{ role: "user", content: "one two three" }];
  const total = (tokenizer: (text: string) => number) =>
    pruner.prune(list, { tokenizer, budget: 1_000 }).report.after.total;
  const [a, b] = [total(words), total((text) => words(text) + 100)];
  assert.ok(b - a >= 100, `${a}, ${b}`);
  pruner.free();
});

test("what the tokenizer throws reaches the host, and the engine lives", async () => {
  const own = new RangeError("no model");
  const broken = () => {
    throw own;
  };
  const list = [{ role: "user", content: "one two" }];
  assert.throws(
    () => countMessages(list, { tokenizer: broken }),
    (error) => error === own,
  );
  assert.throws(
    () => prune(messages, { tokenizer: broken, budget: 100 }),
    (error) => error === own,
  );
  await assert.rejects(compact(messages, { tokenizer: broken, budget: 100 }), (error) => error === own);
  for (const wrong of [NaN, -1, 1.5, Infinity, "3", undefined, null, 3n, Promise.resolve(3)]) {
    assert.throws(() => countMessages(list, { tokenizer: () => wrong as number }), {
      code: "bad_option",
      path: "options.tokenizer",
    });
  }
  assert.throws(() => countMessages(list, { tokenizer: "gpt-4" as never }), {
    code: "bad_option",
    path: "options.tokenizer",
  });
  assert.throws(() => countMessages(list, { tokenizer: words, encoding: "o200k_base" }), {
    code: "bad_option",
    path: "options.tokenizer",
  });
  assert.ok(countMessages(list, { tokenizer: words }).total >= 2);
  assert.ok(count("still here") > 0);
});

test("a tokenizer that uses the package itself", () => {
  const list = [{ role: "user", content: "one two three" }];
  const nested = (text: string) => countMessages([{ role: "user", content: text }], { tokenizer: words }).total;
  assert.ok(
    prune(list, { tokenizer: nested, budget: 1_000 }).report.after.total >
      countMessages(list, { tokenizer: words }).total,
  );
});
