/** The lines of a text, and its offsets in a text area, which joins each carriage return with its line feed. */

export type Range = readonly [start: number, end: number];

export class Lines {
  /** Start of each line in the text. */
  readonly #starts: number[] = [0];
  /** Places of the line feeds that a text area joins with the preceding carriage return. */
  readonly #joined: number[] = [];

  constructor(text: string) {
    for (const { index, 0: found } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#starts.push(index + found.length);
      if (found.length === 2) this.#joined.push(index + 1);
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns the line of an offset, from 0. */
  lineAt(offset: number): number {
    return countUpTo(this.#starts, offset) - 1;
  }

  /** Returns the start of a line. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.#starts.at(-1)!;
  }

  /** Returns the offset in the text for one in the text area. */
  outward(offset: number): number {
    let moved = 0;
    while (moved < this.#joined.length && this.#joined[moved]! - moved <= offset) moved++;
    return offset + moved;
  }

  /** Returns the offset in the text area for one in the text. */
  inward(offset: number): number {
    return offset - countUpTo(this.#joined, offset);
  }
}

/** Returns how many of the sorted numbers are not above a value. */
function countUpTo(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
