/** Divides tokens into rows: as many as fit into the columns, and a new row after a line break. Pure, for tests. */

/** Columns between two tokens with ids, and the share of a column that a digit of an id takes. */
export const ID_GAP = 1;
export const ID_SCALE = 0.75;

export interface Tokens {
  text: string;
  ids: Uint32Array;
  /** The end of each token; that of a part of a character is the character's start. */
  ends: Uint32Array;
}

/** Returns the columns that a token takes: a part of a character, a tab and a line break take one each. */
export function columnsOf({ text, ids, ends }: Tokens, index: number, hasIds: boolean): number {
  const [start, end] = [index > 0 ? ends[index - 1]! : 0, ends[index]!];
  let length = Math.max(1, end - start);
  for (let at = start; at < end; at++) if (isWide(text.charCodeAt(at))) length++;
  if (!hasIds) return length;
  return Math.max(length, Math.ceil(ID_SCALE * digits(ids[index]!))) + ID_GAP;
}

/** True for characters of Chinese, Japanese and Korean, which take two columns; a pair of surrogates is two units. */
const isWide = (unit: number) =>
  unit >= 0x1100 &&
  (unit < 0x1160 ||
    (unit >= 0x2e80 && unit < 0xa4d0) ||
    (unit >= 0xac00 && unit < 0xd7a4) ||
    (unit >= 0xf900 && unit < 0xfb00) ||
    (unit >= 0xfe30 && unit < 0xfe70) ||
    (unit >= 0xff00 && unit < 0xff61));

const digits = (id: number) => (id < 10 ? 1 : Math.floor(Math.log10(id)) + 1);

/**
 * Returns the index of the first token of each row. A token that is wider than a row has a row of its own. Before each
 * token of `heads`, in order, is a row without tokens, for a heading.
 */
export function rowsOf(tokens: Tokens, columns: number, hasIds: boolean, heads: ArrayLike<number> = []): Uint32Array {
  const { text, ends } = tokens;
  const rows: number[] = ends.length > 0 ? [0] : [];
  let used = 0;
  let head = 0;
  let newline = text.indexOf("\n");
  for (let index = 0; index <= ends.length; index++) {
    if (heads[head] === index) {
      // A row that has begun, and is still empty, becomes the heading.
      if (rows.at(-1) !== index) rows.push(index);
      while (heads[++head] === index) rows.push(index);
      if (index < ends.length) rows.push(index);
      used = 0;
    }
    if (index === ends.length) break;
    const width = columnsOf(tokens, index, hasIds);
    if (used > 0 && used + width > columns) {
      rows.push(index);
      used = 0;
    }
    used += width;
    const end = ends[index]!;
    if (newline < 0 || newline >= end) continue;
    newline = text.indexOf("\n", end);
    used = 0;
    if (index + 1 < ends.length) rows.push(index + 1);
  }
  return Uint32Array.from(rows);
}

/** Returns the rows without tokens. */
export function headRowsOf(rows: Uint32Array, tokens: number): number[] {
  return [...rows.keys()].filter((row) => rows[row] === (rows[row + 1] ?? tokens));
}

/** Returns the row of a token. */
export function rowAt(rows: Uint32Array, index: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]! <= index) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
