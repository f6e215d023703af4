/** Remembers what a picture or document was made from: the part itself has only what counting needs. */

import { isBytes } from "../files/bytes.ts";
import type { Part } from "../types/messages.ts";

/** Where the whole of a picture or document is: the part itself has only what counting needs. */
const SOURCES = new WeakMap<Part, string | Uint8Array>();

/** The part, with what it was made from remembered: base64, a data URL, an address or bytes. */
export function withSource(part: Part, source: unknown): Part {
  if ((typeof source === "string" && source !== "") || isBytes(source)) SOURCES.set(part, source);
  return part;
}

/** What a picture or document was made from, if it was read from a host's message. */
export function sourceOf(part: Part): string | Uint8Array | undefined {
  return SOURCES.get(part);
}
