/**
 * Reads lines of JSON Lines that hold more than a record: a tool was stopped while it wrote, and its next record
 * follows on the same line.
 */

/** Max places of a line at which a record is tried. */
const TRIES = 100;

/** Returns the records at the end of a line that is not JSON, and whether text before them is left out. */
export function gluedRecords(line: string): { records: unknown[]; isTorn: boolean } | undefined {
  if (!/\}\s*$/.test(line)) return undefined;
  let at = line.indexOf('{"', 1);
  for (let tries = 0; at > 0 && tries < TRIES; tries += 1, at = line.indexOf('{"', at + 1)) {
    const record = objectIn(line.slice(at));
    if (record === undefined) continue;
    const before = objectIn(line.slice(0, at));
    return { records: before === undefined ? [record] : [before, record], isTorn: before === undefined };
  }
  return undefined;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
