/** Decodes the bytes of a file to text: UTF-8 with or without a byte order mark, UTF-16 with one. */

import type { FileNote } from "../types.ts";
import type { Judge } from "./rules.ts";

/**
 * Returns the text of a file, or why it has none that can be searched. `isCut`: true if the bytes end before the file
 * does.
 */
export function decode(
  bytes: Uint8Array,
  path: string,
  { rules, text: judge }: Judge,
  isCut: boolean,
): { text: string } | Omit<FileNote, "path"> {
  const mark = markOf(bytes);
  if (mark === undefined) return { reason: "encoding", detail: "UTF-32" };
  if (mark.encoding === "utf-8" && bytes.subarray(0, rules.binaryBytes).includes(0))
    return { reason: "binary", detail: "a NUL in its first bytes" };
  const content = bytes.subarray(mark.size);
  let text: string;
  try {
    const whole = isCut ? content.subarray(0, boundary(content, mark.encoding)) : content;
    text = new TextDecoder(mark.encoding === "utf-8" ? "utf-8" : "utf-16le", { fatal: true, ignoreBOM: true }).decode(
      mark.encoding === "utf-16be" ? swapped(whole) : whole,
    );
  } catch {
    return {
      reason: "encoding",
      detail: mark.encoding === "utf-8" ? "not UTF-8" : `not well-formed ${mark.encoding.toUpperCase()}`,
    };
  }
  return judge(path, text) ?? { text };
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** Returns the encoding and the size of its byte order mark; `undefined` for one of UTF-32. */
function markOf(bytes: Uint8Array): { encoding: Encoding; size: number } | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: "utf-8", size: 3 };
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? undefined : { encoding: "utf-16le", size: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: "utf-16be", size: 2 };
  return a === 0 && b === 0 && c === 0xfe && d === 0xff ? undefined : { encoding: "utf-8", size: 0 };
}

/** Node without full ICU has no decoder for it. */
function swapped(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  for (let at = 0; at + 1 < out.length; at += 2) [out[at], out[at + 1]] = [out[at + 1]!, out[at]!];
  return out;
}

/**
 * Returns where a truncated text should end: after its last whole line, or after its last whole character if it has
 * only one line.
 */
function boundary(bytes: Uint8Array, encoding: Encoding): number {
  const width = encoding === "utf-8" ? 1 : 2;
  const low = encoding === "utf-16be" ? 1 : 0;
  for (let at = bytes.length - (bytes.length % width) - width; at >= 0; at -= width) {
    if (bytes[at + low] === 0x0a && (width === 1 || bytes[at + 1 - low] === 0)) return at + width;
  }
  if (width === 1) {
    let end = bytes.length;
    while (end > 0 && bytes.length - end < 4 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
    if (end === 0) return bytes.length;
    const first = bytes[end - 1]!;
    const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return end - 1 + size <= bytes.length ? end - 1 + size : end - 1;
  }
  const end = bytes.length - (bytes.length % 2);
  const high = bytes[end - 1 - low];
  return high !== undefined && (high & 0xfc) === 0xd8 ? end - 2 : end;
}
