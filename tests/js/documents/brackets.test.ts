/** Rows that need one another show together, wherever the cursor is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { espalier } from "../built.ts";
import { LANGUAGES, brackets, generate } from "./generated.ts";
import { runs } from "../runs.ts";

const { count, summarizeDocumentSync } = espalier;

/** Numbers in [0, 1) that a seed decides. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

for (const language of Object.keys(LANGUAGES)) {
  test(`${language}: no row shows without the rows that open or close it, where there is room for them`, () => {
    let checked = 0;
    for (let seed = 1; seed <= runs(200); seed++) {
      const made = generate(language, numbers(seed * 7_919));
      const { lines, needs } = made;
      const pairs = brackets(made);
      const text = `${lines.join("\n")}\n`;
      const starts = lines.map((_, row) => lines.slice(0, row).reduce((sum, line) => sum + line.length + 1, 0));
      for (const share of [0.2, 0.33, 0.5, 0.75]) {
        const budget = Math.max(60, Math.floor(count(text) * share));
        const step = Math.max(1, lines.length >> 3);
        for (let cursor = -1; cursor < lines.length; cursor += cursor < 0 ? 1 : step) {
          if (cursor >= 0 && count(skeleton(lines, pairs, needs, cursor)) > budget) continue;
          const selection = cursor < 0 ? undefined : starts[cursor]! + (lines[cursor]!.length >> 1);
          const summary = summarizeDocumentSync(text, {
            language,
            budget,
            ...(selection !== undefined && { selection }),
          });
          checked++;
          const isShown = (row: number) =>
            lines[row]!.trim() === "" ||
            !summary.elisions.some(({ range: [start, end] }) => start <= starts[row]! && starts[row]! < end);
          const said = `budget ${budget}, cursor in line ${cursor + 1}, seed ${seed}\n${summary.text}`;
          for (const [open, close] of pairs)
            assert.equal(isShown(open), isShown(close), `lines ${open + 1} and ${close + 1}: ${said}`);
          for (const [row, head] of needs)
            assert.ok(isShown(head) || !isShown(row), `line ${row + 1} without ${head + 1}: ${said}`);
        }
      }
    }
    assert.ok(checked > 200, `${checked}`);
  });
}

/** Returns the smallest summary with all that opens and closes what is around a row. */
function skeleton(
  lines: string[],
  pairs: [open: number, close: number][],
  needs: [row: number, head: number][],
  cursor: number,
): string {
  const shown = new Set<number>();
  const show = (row: number) => {
    if (shown.has(row)) return;
    shown.add(row);
    for (const pair of pairs) if (pair.includes(row)) pair.forEach(show);
    for (const [from, head] of needs) if (from === row) show(head);
  };
  // A blank line belongs to the line before it.
  show(lines.findLastIndex((line, row) => row <= cursor && line.trim() !== ""));
  for (const [open, close] of pairs) if (open < cursor && cursor < close) [open, close].forEach(show);
  const rows = lines.map((line, row) => {
    if (shown.has(row)) return `${line}\n`;
    const marker = `${line.slice(0, line.length - line.trimStart().length)}// … 100-${row + 100} omitted\n`;
    return row === 0 || shown.has(row - 1) ? marker : "";
  });
  // Blanks and rows that show for lack of a marker.
  return `${rows.join("")}${" x".repeat(8)}`;
}
