export const isFull = process.env["ESPALIER_PROPERTIES"] === "full";

/** How often a property is tried: a tenth of `count`, or `count` times with `ESPALIER_PROPERTIES=full`. */
export function runs(count: number): number {
  return isFull ? count : Math.ceil(count / 10);
}

/**
 * Returns the length of a long list or text: a quarter of `count`, or `count` with `ESPALIER_PROPERTIES=full`. A list
 * that must not cross as arguments keeps its length: the stack ends at about 125,000.
 */
export function size(count: number): number {
  return isFull ? count : Math.ceil(count / 4);
}

/**
 * Whether a cell of a table of cases is tried: each with `ESPALIER_PROPERTIES=full`, else one of `share`, on diagonals.
 * If each side has at least `share` values, every value is tried, and every pair of values if there are three sides.
 */
export function isTried(share: number, ...cell: number[]): boolean {
  return isFull || cell.reduce((sum, index) => sum + index, 0) % share === 0;
}
