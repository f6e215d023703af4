/** Makes ids for new lines from a text, not from random numbers, so that the same input results in the same file. */
import { hash32, hex } from "../files/hash.ts";

/** Returns an id in the form of a UUID, derived from a text. */
export function idFrom(name: string): string {
  const digits = [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b].map((seed) => mixed(hash32(name, seed))).join("");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join("-");
}

function mixed(sum: number): string {
  return hex((sum ^ (sum >>> 15)) >>> 0);
}
