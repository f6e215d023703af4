/** Encodes bytes as text, for places that store only text. */

import { isBuffer, isBytes } from "../files/bytes.ts";

/** Bytes that one call converts to text: the number of arguments of a call is limited. */
const AT_ONCE = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}

/** Decodes Base64; throws if the text is not Base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/**
 * A replacer for `JSON.stringify`. Formats that take bytes take them as Base64, too; JSON alone would make an object of
 * them.
 */
export function encoded(this: unknown, key: string, value: unknown): unknown {
  // Of a Buffer, `value` is already what its `toJSON` returns.
  const own = (this as Record<string, unknown>)[key];
  if (isBytes(own)) return toBase64(own);
  return isBuffer(own) ? toBase64(new Uint8Array(own)) : value;
}
