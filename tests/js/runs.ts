export const isFull = process.env["ESPALIER_PROPERTIES"] === "full";

/** How often a property is tried: a tenth of `count`, or `count` times with `ESPALIER_PROPERTIES=full`. */
export function runs(count: number): number {
  return isFull ? count : Math.ceil(count / 10);
}

/**
 * Whether a cell of a table of cases is tried: each with `ESPALIER_PROPERTIES=full`, else one of `share`, on diagonals.
 * If each side has at least `share` values, every value is tried, and every pair of values if there are three sides.
 */
export function isTried(share: number, ...cell: number[]): boolean {
  return isFull || cell.reduce((sum, index) => sum + index, 0) % share === 0;
}
