/** Edits that were made on a summary, as edits of the document. */

import { bad } from "./costs.ts";
import type { SummaryEdit } from "./summarize.ts";

/** What became of edits of a summary. */
export interface Rebased {
  /** Edits of the document, in its order; none overlaps another. */
  edits: SummaryEdit[];
  /** The edits of the summary that are none of the document, as they were given. */
  dropped: SummaryEdit[];
}

/** `markers` lead from the document to the summary, which has so many UTF-16 code units. */
export function rebaseEdits(edits: readonly SummaryEdit[], markers: readonly SummaryEdit[], length: number): Rebased {
  const rebased: Rebased = { edits: [], dropped: [] };
  // Of the markers before a place: how many, and how far the document is ahead of the summary behind them.
  let [next, ahead] = [0, 0];
  for (const edit of inOrder(edits, length)) {
    const { start, end, text } = edit;
    for (; next < markers.length; next++) {
      const marker = markers[next]!;
      const at = marker.start - ahead;
      // Where nothing stands in the place of what is missing, an insertion is on neither side of it.
      if (at + marker.text.length > start || (start === end && at === start && marker.text === "")) break;
      ahead += marker.end - marker.start - marker.text.length;
    }
    const marker = markers[next];
    const at = marker ? marker.start - ahead : Infinity;
    const lost = start === end ? at < start || (at === start && marker!.text === "") : at < end;
    if (lost) rebased.dropped.push(edit);
    else rebased.edits.push({ start: start + ahead, end: end + ahead, text });
  }
  return rebased;
}

/** Edits by their places; those that insert at the same place stay in their order. */
function inOrder(edits: readonly SummaryEdit[], length: number): SummaryEdit[] {
  if (!Array.isArray(edits)) throw bad("edits", "an array", edits);
  const places = edits.map((edit: SummaryEdit, at) => {
    const path = `edits[${at}]`;
    if (typeof edit !== "object" || edit === null) throw bad(path, "an object", edit);
    const { start, end, text } = edit;
    if (!Number.isSafeInteger(start) || start < 0 || start > length) throw bad(`${path}.start`, `a place in the summary: 0 to ${length}`, start);
    if (!Number.isSafeInteger(end) || end < start || end > length) throw bad(`${path}.end`, `a place in the summary, from its start on: ${start} to ${length}`, end);
    if (typeof text !== "string") throw bad(`${path}.text`, "a string", text);
    return { at, edit };
  });
  places.sort((one, other) => one.edit.start - other.edit.start || one.edit.end - other.edit.end);
  places.forEach(({ at, edit }, place) => {
    const before = places[place - 1];
    if (before && before.edit.end > edit.start) throw bad(`edits[${Math.max(at, before.at)}]`, `apart from edits[${Math.min(at, before.at)}]`, edit);
  });
  return places.map(({ edit }) => edit);
}
