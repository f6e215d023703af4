/** Hashes of contents: they identify contents, are the same in every runtime, and are not secure against attackers. */

/** Returns the 32-bit FNV-1a hash of a text's UTF-16 code units, or of bytes. */
export function hash32(content: string | Uint8Array, seed = 0x811c9dc5): number {
  let sum = seed;
  for (let at = 0; at < content.length; at += 1) sum = Math.imul(sum ^ unitAt(content, at), 0x01000193);
  return sum >>> 0;
}

/**
 * Returns a version for a content that has none: two 32-bit sums over its UTF-16 code units or bytes, each mixed at the
 * end, as 16 hexadecimal digits.
 */
export function contentVersion(content: string | Uint8Array): string {
  let [one, other] = [0x811c9dc5, content.length | 0];
  for (let at = 0; at < content.length; at += 1) {
    const unit = unitAt(content, at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
    other ^= other >>> 15;
  }
  return hex(spread(one)) + hex(spread(other ^ one));
}

/** Applies the last step of MurmurHash3: every bit of the sum changes about half of the result's bits. */
export function spread(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Returns eight hexadecimal digits. */
export function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

function unitAt(content: string | Uint8Array, at: number): number {
  return typeof content === "string" ? content.charCodeAt(at) : content[at]!;
}
