/** The items of the list: rows, and stretches of removed rows folded into one. Pure, for tests. */

import { FATES } from "../worker/questions.ts";
import type { Rows } from "../worker/questions.ts";

export type Shows = "all" | "sent" | "gone";

/** A row, or with `size` above 1 a folded stretch from `row` on. `open`: the head of an unfolded stretch. */
export interface Item {
  row: number;
  size: number;
  open?: boolean;
}

/** Shorter stretches are not folded: their rows tell more. */
const MIN_FOLD = 3;

const DROPPED = FATES.indexOf("dropped");
const COVERED = FATES.indexOf("covered");
const HIDDEN = FATES.indexOf("hidden");
const CHANGED = FATES.indexOf("changed");

export const isGone = (fate: number) => fate === DROPPED || fate === COVERED || fate === HIDDEN;

export interface Shown {
  filter: Shows;
  /** Messages that contain the words, by index. */
  matches: ReadonlySet<number> | undefined;
  /** First messages of open stretches. */
  unfolded: ReadonlySet<number>;
}

export function itemsOf(rows: Rows, { filter, matches, unfolded }: Shown): Item[] {
  const items: Item[] = [];
  const { fates, index } = rows;
  const size = fates.length;
  for (let row = 0; row < size; ) {
    const fate = fates[row]!;
    let end = row + 1;
    if (filter === "all" && !matches && isGone(fate)) {
      while (end < size && isGone(fates[end]!)) end++;
      if (end - row >= MIN_FOLD) {
        const open = unfolded.has(index[row]!);
        items.push({ row, size: end - row, open });
        if (open) for (let at = row; at < end; at++) items.push({ row: at, size: 1 });
        row = end;
        continue;
      }
      for (; row < end; row++) items.push({ row, size: 1 });
      continue;
    }
    const isShown = filter === "all" || (filter === "gone") === (isGone(fate) || fate === CHANGED);
    if (isShown && (!matches || matches.has(index[row]!))) items.push({ row, size: 1 });
    row = end;
  }
  return items;
}

export interface Gone {
  /** Messages that are not sent. */
  out: number;
  shortened: number;
  /** Messages of which nothing but the form changes: calls and results that did not match. */
  repaired: number;
}

export function gone({ fates, before, after }: Rows): Gone {
  let [out, shortened, repaired] = [0, 0, 0];
  for (let row = 0; row < fates.length; row++) {
    if (isGone(fates[row]!)) out++;
    else if (fates[row] === CHANGED && after[row]! < before[row]!) shortened++;
    else if (fates[row] === CHANGED) repaired++;
  }
  return { out, shortened, repaired };
}

/** Returns the tokens of a stretch, and of the summary beside it: what the stretch became. */
export function stretch({ fates, before, after }: Rows, { row, size }: Item): { before: number; after: number } {
  let sum = 0;
  for (let at = row; at < row + size; at++) sum += before[at]!;
  const inserted = FATES.indexOf("inserted");
  const beside = [row - 1, row + size].filter((at) => fates[at] === inserted);
  return { before: sum, after: beside.reduce((all, at) => all + after[at]!, 0) };
}

/** Returns the place of a row in the items, or of the folded stretch that holds it; -1 if it is not shown. */
export function placeOf(items: readonly Item[], row: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.row <= row) low = middle + 1;
    else high = middle;
  }
  // An unfolded head has the row of its first member, which follows it.
  const item = items[low - 1];
  return item && row < item.row + item.size ? low - 1 : -1;
}
