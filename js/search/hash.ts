/** A hash of a text: the version of a file that comes without one. */

/** Two 32-bit sums over the UTF-16 code units, each spread over all of its bits at the end: 16 hexadecimal digits. */
export function contentVersion(text: string): string {
  let [one, other] = [0x811c9dc5, text.length | 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
    other ^= other >>> 15;
  }
  return spread(one) + spread(other ^ one);
}

/** The last step of MurmurHash3, as hexadecimal digits. */
function spread(sum: number): string {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
