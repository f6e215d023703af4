/** Checks that hold for every summary in the profile espalier. */

import assert from "node:assert/strict";
import { espalier } from "../built.ts";
import type { DocumentSummary, SummaryOptions } from "../../../js/documents/summarize.ts";

const { count } = espalier;

/** Returns the line of an offset, from 1. */
export const lineOf = (text: string, offset: number) => text.slice(0, offset).split(/\r\n|\n|\r/).length;

/** Checks that hold for every summary. */
export function sound(
  text: string,
  summary: DocumentSummary,
  { budget, unit = "tokens", lineNumbers = false }: SummaryOptions,
): void {
  const size = unit === "tokens" ? count(summary.text) : summary.text.length;
  assert.equal(summary.tokens, size, "tokens are those of the text");
  assert.ok(size <= budget, `${size} > ${budget}`);
  // Text and edits make the summary; undoing them makes the document.
  let [rebuilt, original, reached, at] = ["", "", 0, 0];
  for (const { start, end, text: inserted } of summary.edits) {
    assert.ok(start >= reached && end >= start && end <= text.length);
    rebuilt += text.slice(reached, start) + inserted;
    original += summary.text.slice(at, at + start - reached) + text.slice(start, end);
    at += start - reached + inserted.length;
    reached = end;
  }
  assert.equal(rebuilt + text.slice(reached), summary.text);
  assert.equal(original + summary.text.slice(at), text);
  // Exactly the edits' ranges are missing, and each has one marker that names its lines.
  const gone = summary.edits.filter(({ start, end }) => end > start);
  assert.deepEqual(
    gone.map(({ start, end }) => [start, end]),
    summary.elisions.map(({ range }) => range),
  );
  const marks = summary.text.match(/… \d+(-\d+)? omitted/g) ?? [];
  assert.equal(marks.length, summary.elisions.length);
  summary.elisions.forEach(({ range: [start, end], lines: [first, last] }, index) => {
    assert.equal(marks[index], first === last ? `… ${first} omitted` : `… ${first}-${last} omitted`);
    assert.equal(gone[index]!.text.split(marks[index]!).length, 2, "the marker stands where the text was");
    if (text.length > 100_000) return;
    assert.equal(first, lineOf(text, start));
    assert.equal(last, lineOf(text, text.slice(end - 2, end) === "\r\n" ? end - 2 : end - 1));
  });
  if (lineNumbers) {
    for (const line of summary.text.split(/\r\n|\n|\r/)) assert.match(line, /^(\d+: .*|.*… [\d-]+ omitted.*|)$/s);
  }
  // Positions map to the summary and back.
  for (const place of [0, text.length >> 1, text.length]) {
    const there = summary.toSummary(place);
    assert.ok(there >= 0 && there <= summary.text.length);
    assert.ok(summary.toDocument(there) <= text.length);
    if (!summary.edits.some(({ start, end }) => start <= place && place <= end))
      assert.equal(summary.toDocument(there), place);
  }
}
