/** Ids for new lines: the same input gives the same file, so they are made from a text and not drawn. */

/** An id in the form of a UUID, from a text. */
export function named(name: string): string {
  const hex = [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b]
    .map((seed) => hash(name, seed).toString(16).padStart(8, "0"))
    .join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}

/** FNV-1a over the UTF-16 units, with a seed. */
function hash(value: string, seed: number): number {
  let sum = seed;
  for (let at = 0; at < value.length; at++) sum = Math.imul(sum ^ value.charCodeAt(at), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
}
