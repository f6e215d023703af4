/** Finds the words of a query in a text. */

/** Max words of a query to look for, the first ones. */
const WORDS = 100;

/** Returns the offset of the first line with the most words of the query; nothing if no line has any. */
export function focus(text: string, query: string): number | undefined {
  const words = [
    ...new Set(
      query
        .slice(0, 10_000)
        .toLowerCase()
        .match(/[\p{L}\p{N}_$]{3,}/gu),
    ),
  ].slice(0, WORDS);
  let [best, most, offset]: [number | undefined, number, number] = [undefined, 0, 0];
  for (const line of words.length === 0 ? [] : text.split("\n")) {
    const lower = line.toLowerCase();
    const held = words.filter((word) => lower.includes(word)).length;
    if (held > most) [best, most] = [offset + line.length - line.trimStart().length, held];
    offset += line.length + 1;
  }
  return best;
}

/** Length of an excerpt, in UTF-16 code units. */
const LONG = 400;

/** Returns the lines of a text around the words of a query; `…` marks omissions. */
export function excerpt(text: string, query: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= LONG) return trimmed;
  const at = focus(trimmed, query) ?? 0;
  const before = trimmed.lastIndexOf("\n", at - 1 < 0 ? 0 : at - 2) + 1;
  const start = at - before <= LONG / 4 && at > 0 ? before : at;
  const last = trimmed.lastIndexOf("\n", start + LONG);
  const end = last > start + LONG / 2 ? last : start + LONG;
  const whole = trimmed
    .slice(start, end)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd();
  return `${start > 0 ? "…" : ""}${whole}${end < trimmed.length ? "…" : ""}`;
}
