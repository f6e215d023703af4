/** What holds for every request. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { count, inline } from "./built.ts";
import type { InlineRequest } from "./built.ts";
import { runs } from "../runs.ts";

const PARTS = [
  "let",
  "value",
  "élan",
  "中文",
  "🦀",
  "x",
  "return",
  "(",
  ")",
  "{",
  "}",
  "\t",
  "  ",
  " ",
  "=",
  "\uFEFF",
  "\n",
  "\r\n",
  "\n\n",
  "\ud800",
  "\udc00",
  "<|endoftext|>",
];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 200 }).map((parts) => parts.join(""));
const number = fc.constantFrom(0, 0.3, 0.7, 0.9, 1, -1, 7, Infinity, -Infinity);
const item = fc.record({
  id: fc.constantFrom("a", "b", "c", ""),
  text,
  kind: fc.constantFrom("snippet", "trait", "diagnostic", undefined),
  priority: number,
  weight: number,
  arrivedMs: fc.constantFrom(0, 100, 151, Infinity, "pending", undefined),
});
const file = fc.record({
  path: fc.constantFrom("a.ts", "b.ts", "c\n🦀.ts", ""),
  text,
  focusedMs: fc.constantFrom(1, 2, undefined),
});
const edit = fc.record({ path: fc.constantFrom("a.ts", "b.ts"), before: text, after: text });
const request = fc.record({
  file: fc.record({ path: fc.constantFrom("a.ts", "main.ts"), text }),
  cursor: fc.oneof(fc.nat(300), fc.constantFrom(Infinity, -Infinity, -5)),
  neighbours: fc.array(file, { maxLength: 5 }),
  items: fc.array(item, { maxLength: 5 }),
  edits: fc.array(edit, { maxLength: 3 }),
  excluded: fc.constantFrom([], ["b.ts"]),
  elapsedMs: fc.constantFrom(0, 149, 1_200, Infinity),
  budget: fc.constantFrom(8, 9, 20, 100, 1_000, 7_692),
  mode: fc.constantFrom("minimal", "fillHalf", "double", "fill", undefined),
  cascade: fc.constantFrom(true, false, { prefix: 0.5, suffix: 0.5, stable: 0, volatile: 0 }),
  editForm: fc.constantFrom("unified", "searchReplace", "plain", undefined),
}) as fc.Arbitrary<InlineRequest>;

const wellFormed = (text: string) => Buffer.from(text, "utf8").toString("utf8");

function check(given: InlineRequest, result: ReturnType<typeof inline.inlineContext>): void {
  if (result.isTooShort) {
    assert.ok(given.file.text.length < 10);
    return;
  }
  const { context, prefix, trailing, restOfLine, suffix, tokens, items, isSuffixReused } = result;
  const { text } = given.file;
  const at = Math.max(0, Math.min(given.cursor, text.length));
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) && at > 0;
  const before = text.slice(0, isInPair ? at - 1 : at);
  assert.ok(before.endsWith(prefix + trailing));
  const feed = text.indexOf("\n", before.length);
  if (!isSuffixReused) assert.ok((feed < 0 ? "" : text.slice(feed).trimStart()).startsWith(suffix));
  assert.ok(text.slice(before.length, feed < 0 ? undefined : feed).startsWith(restOfLine));
  const [counted, countedSuffix] = [count(context + wellFormed(prefix)), count(suffix)];
  const countedRest = count(wellFormed(restOfLine));
  assert.ok(counted + countedRest + countedSuffix <= given.budget!);
  assert.deepEqual(
    [tokens.context + tokens.prefix, tokens.restOfLine, tokens.suffix, tokens.budget],
    [counted, countedRest, countedSuffix, given.budget],
  );
  assert.equal(tokens.free, given.budget! - counted - countedRest - countedSuffix);
  for (const { id } of [...given.items!]) assert.ok(items.some((one) => one.id === wellFormed(id)));
  for (const { text, dropped } of items) assert.equal(text === "", dropped !== undefined);
}

test("requests on their own", () => {
  fc.assert(
    fc.property(request, (given) => check(given, inline.inlineContext(given))),
    { numRuns: runs(1_500) },
  );
});

test("requests of a session are those on their own, but for suffix and beginning", () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 4 }), fc.constantFrom(8, 40, 1_000), (all, budget) => {
      const session = new inline.InlineContext({ budget, stableSlack: 0 });
      for (const given of all) {
        const seen = new Set<string>();
        const open = given.neighbours!.filter(
          ({ path }) => path !== given.file.path && !seen.has(path) && seen.add(path),
        );
        open.forEach((file) => session.addNeighbour(file));
        const { file, cursor, items, excluded, elapsedMs } = given;
        const result = session.context({ file, cursor, items, excluded, elapsedMs });
        check({ ...given, budget }, result);
        const alone = inline.inlineContext({
          file,
          cursor,
          items,
          excluded,
          elapsedMs,
          neighbours: open,
          budget,
          stableSlack: 0,
        });
        if (!result.isSuffixReused && alone.context === "" && result.context === "")
          assert.equal(result.suffix, alone.suffix);
        open.forEach(({ path }) => session.close(path));
      }
      session.free();
    }),
    { numRuns: runs(300) },
  );
});

test("nothing that fits is left out", () => {
  const words = fc
    .array(fc.constantFrom("stock", "rate", "total", "(", ")", "\n"), { minLength: 5, maxLength: 60 })
    .map((parts) => parts.join(" "));
  fc.assert(
    fc.property(fc.array(words, { maxLength: 5 }), words, fc.integer({ min: 30, max: 400 }), (texts, text, budget) => {
      const items = texts.map((text, at) => ({ id: `${at}`, text, weight: 1 / (at + 1) }));
      const {
        items: report,
        tokens,
        isTooShort,
      } = inline.inlineContext({
        file: { path: "a.ts", text: `${text}\n`.repeat(3) },
        cursor: text.length,
        items,
        budget,
        contextShare: 0,
        mode: "fill",
      });
      if (isTooShort) return;
      // A text's tokens may join those beside it: a few tokens of tolerance.
      for (const one of report.filter(({ dropped }) => dropped === "noRoom"))
        assert.ok(one.tokens + 5 > tokens.free, JSON.stringify([one, tokens]));
    }),
    { numRuns: runs(500) },
  );
});
