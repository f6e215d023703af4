/** How often a property is tried: a tenth of `count`, or `count` times with `ESPALIER_PROPERTIES=full`. */
export function runs(count: number): number {
  return process.env["ESPALIER_PROPERTIES"] === "full" ? count : Math.ceil(count / 10);
}
