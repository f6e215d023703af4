/** Converts edits of a summary to edits of its document. */

import { badValue } from "../errors/errors.ts";
import type { SummaryEdit } from "./summarize.ts";

/** The result of rebasing edits of a summary. */
export interface Rebased {
  /** Edits of the document in its order, without overlap. */
  edits: SummaryEdit[];
  /** The edits of the summary that have no equivalent, as they were passed. */
  dropped: SummaryEdit[];
}

/**
 * Rebases edits of a summary onto its document, past later changes of the document.
 *
 * @param markers edits that turn the document into the summary
 * @param length UTF-16 code units of the summary
 * @param changes edits of the document since it was summarised
 */
export function rebaseEdits(
  edits: readonly SummaryEdit[],
  markers: readonly SummaryEdit[],
  length: number,
  changes: readonly SummaryEdit[] = [],
): Rebased {
  const rebased: Rebased = { edits: [], dropped: [] };
  const before = markers.reduce((sum, { start, end, text }) => sum + end - start - text.length, length);
  const past = pastChanges(inOrder(changes, before, "options.changes", "the document"));
  // The number of markers before an offset, and the distance between document and summary behind them.
  let [next, ahead] = [0, 0];
  for (const edit of inOrder(edits, length, "edits", "the summary")) {
    const { start, end, text } = edit;
    for (; next < markers.length; next++) {
      const marker = markers[next]!;
      const at = marker.start - ahead;
      // Without a marker, an insertion has no side of the elision to belong to.
      if (at + marker.text.length > start || (start === end && at === start && marker.text === "")) break;
      ahead += marker.end - marker.start - marker.text.length;
    }
    const marker = markers[next];
    const at = marker ? marker.start - ahead : Infinity;
    const lost = start === end ? at < start || (at === start && marker!.text === "") : at < end;
    const moved = lost ? undefined : past({ start: start + ahead, end: end + ahead, text });
    if (moved) rebased.edits.push(moved);
    else rebased.dropped.push(edit);
  }
  return rebased;
}

/**
 * Moves edits of the old document, in ascending order, to their places in the changed one. Returns `undefined` for an
 * edit that overlaps a change. Of two insertions at one place, that of the change comes first.
 */
function pastChanges(changes: readonly SummaryEdit[]): (edit: SummaryEdit) => SummaryEdit | undefined {
  let [next, shift] = [0, 0];
  return ({ start, end, text }) => {
    for (; next < changes.length && changes[next]!.end <= start; next++) {
      const change = changes[next]!;
      shift += change.text.length - (change.end - change.start);
    }
    const change = changes[next];
    if (change && change.start < end) return undefined;
    // An insertion within a replaced stretch.
    if (change && change.start < start) return undefined;
    return { start: start + shift, end: end + shift, text };
  };
}

/** Returns edits in the order of their offsets. Insertions at the same offset keep their order. */
function inOrder(edits: readonly SummaryEdit[], length: number, name: string, of: string): SummaryEdit[] {
  if (!Array.isArray(edits)) throw badValue(name, "an array", edits);
  const places = edits.map((edit: SummaryEdit, at) => {
    const path = `${name}[${at}]`;
    if (typeof edit !== "object" || edit === null) throw badValue(path, "an object", edit);
    const { start, end, text } = edit;
    if (!Number.isSafeInteger(start) || start < 0 || start > length)
      throw badValue(`${path}.start`, `a place in ${of}: 0 to ${length}`, start);
    if (!Number.isSafeInteger(end) || end < start || end > length)
      throw badValue(`${path}.end`, `a place in ${of}, from its start on: ${start} to ${length}`, end);
    if (typeof text !== "string") throw badValue(`${path}.text`, "a string", text);
    return { at, edit };
  });
  places.sort((one, other) => one.edit.start - other.edit.start || one.edit.end - other.edit.end);
  places.forEach(({ at, edit }, place) => {
    const before = places[place - 1];
    if (before && before.edit.end > edit.start)
      throw badValue(`${name}[${Math.max(at, before.at)}]`, `apart from ${name}[${Math.min(at, before.at)}]`, edit);
  });
  return places.map(({ edit }) => edit);
}
