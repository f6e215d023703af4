/** The columns of an overview. Pure, for the page, for pictures and for saved pages. */

import type { Rows } from "../worker/questions.ts";

export interface Column {
  /** Heights as shares of the tallest column: of everything, and of what is sent. */
  whole: number;
  sent: number;
  /** The index in FATES of what is sent. */
  fate: number;
}

/** Sums up rows in `count` columns. */
export function columnsOf({ fates, before, after }: Rows, count: number): Column[] {
  const size = fates.length;
  const columns = Array.from({ length: count }, (): Column => ({ whole: 0, sent: 0, fate: 0 }));
  let largest = 1;
  for (let row = 0; row < size; row++) {
    const column = columns[Math.floor((row * count) / size)]!;
    column.whole += Math.max(before[row]!, after[row]!);
    column.sent += after[row]!;
    if (after[row]! > 0) column.fate = Math.max(column.fate, fates[row]!);
    if (column.whole > largest) largest = column.whole;
  }
  // A square root shows small messages beside results of ten thousand tokens.
  const tall = (tokens: number) => Math.sqrt(tokens / largest);
  return columns.map(({ whole, sent, fate }) => ({ whole: tall(whole), sent: tall(sent), fate }));
}
