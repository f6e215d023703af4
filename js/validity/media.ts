/** Pictures, documents and bytes of a request: what providers limit beside tokens. */

import { isBuffer, isBytes } from "../files/bytes.ts";
import { sourceOf } from "../formats/sources.ts";
import type { Reading } from "../formats/adapter.ts";
import { base64Of, startOfData } from "../formats/media.ts";
import { RULES } from "../formats/table.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import type { Format, NeutralMessage, Part } from "../types/messages.ts";
import { HEAD, longerSide } from "./image-size.ts";

/** A picture or document in a message. */
export interface Medium {
  /** Index of the neutral message, of the part, and of the item within a tool result. */
  index: number;
  part: number;
  item?: number;
  isImage: boolean;
  /** Bytes, decoded; 0 for an address. */
  bytes: number;
  /** Returns the pixels of a picture's longer side; 0 if its beginning does not contain it. */
  side(): number;
}

/** Returns the bytes of a medium in a request: base64 takes four for three. */
export const written = ({ bytes }: Medium) => (bytes * 4) / 3;

/** The media of readings: a request is measured, lightened and measured again. */
const FOUND = new WeakMap<Reading["messages"], readonly Medium[]>();

/** Returns all pictures and documents, in order. */
export function mediaOf({ messages }: Pick<Reading, "messages">): readonly Medium[] {
  const known = FOUND.get(messages);
  if (known) return known;
  const found: Medium[] = [];
  const add = (part: Part, index: number, at: number, item?: number) => {
    if (part.type !== "image" && part.type !== "document") return;
    found.push(medium(part, { index, part: at, ...(item !== undefined && { item }) }));
  };
  messages.forEach(({ parts }, index) =>
    parts.forEach((part, at) => {
      if (part.type !== "toolResult") add(part, index, at);
      else part.content.forEach((held, item) => add(held, index, at, item));
    }),
  );
  FOUND.set(messages, found);
  return found;
}

/**
 * Returns whether there are pictures or documents that may go: in results, or of any message but the user's newest.
 * `isSent`: only those of these messages count.
 */
export function canLoseMedia(
  reading: Pick<Reading, "messages">,
  isSent: (message: NeutralMessage) => boolean = () => true,
): boolean {
  const { messages } = reading;
  const newest = messages.findLastIndex(({ role }) => role === "user");
  return mediaOf(reading).some(({ index, item }) => {
    const message = messages[index]!;
    const isFrame = message.role === "system" || message.role === "developer";
    return !isFrame && (item !== undefined || index !== newest) && isSent(message);
  });
}

/** Characters that contain the size of most pictures. A JPEG with a preview needs all of `HEAD`. */
const FIRST = 4_096;

function medium(
  part: Extract<Part, { type: "image" | "document" }>,
  place: Pick<Medium, "index" | "part" | "item">,
): Medium {
  const isImage = part.type === "image";
  const source = inlineOf(part);
  if (source === undefined) return { ...place, isImage, bytes: 0, side: () => 0 };
  const start = isBytes(source) ? 0 : startOfData(source);
  const head = (length: number) =>
    isBytes(source) ? base64Of(source.subarray(0, (length / 4) * 3)) : source.slice(start, start + length);
  const sideIn = (length: number) => longerSide(head(length));
  let side: number | undefined;
  return {
    ...place,
    isImage,
    bytes: isBytes(source) ? source.length : Math.floor(((source.length - start) * 3) / 4),
    side: () => (side ??= isImage ? (sideIn(FIRST) ?? sideIn(HEAD) ?? 0) : 0),
  };
}

/** Returns the bytes, base64 or data URL of a medium; undefined for an address, and for the id of a file. */
function inlineOf(part: Extract<Part, { type: "image" | "document" }>): string | Uint8Array | undefined {
  const url = part.type === "image" ? part.url : undefined;
  const source = sourceOf(part) ?? url ?? (part.type === "image" ? part.data : undefined);
  if (source === undefined || isBytes(source) || /^data:/i.test(source)) return source;
  return url !== undefined || /^[a-z][a-z0-9+.-]*:/i.test(source.slice(0, 20)) ? undefined : source;
}

/**
 * Returns the bytes of the request's JSON, measured on the input itself: its strings in UTF-8 with JSON's escapes, and
 * bytes as the base64 that is sent. `format`: that of messages whose classes have a JSON of their own.
 */
export function bodyBytes(input: unknown, format?: Format): number {
  const encoder = new TextEncoder();
  const stored = format && RULES[format].stored;
  const size = (value: unknown) => {
    let base64 = 0;
    const text = JSON.stringify(stored ? stored.to(value) : value, function (this: Fields, key, held: unknown) {
      // Of a Buffer, `held` is already what its `toJSON` returns.
      const own = this[key];
      if (!isBytes(own) && !isBuffer(own)) return held;
      base64 += Math.ceil(own.byteLength / 3) * 4;
      return "";
    });
    return text === undefined ? 4 : encoder.encode(text).length + base64;
  };
  // Message by message: the JSON of all of them could exceed the max length of a string.
  const sum = (list: readonly unknown[]) => list.reduce<number>((total, item) => total + size(item) + 1, 2);
  if (Array.isArray(input)) return sum(input);
  if (!isFields(input)) return size(input);
  return Object.entries(input as Fields).reduce(
    (total, [name, value]) => total + name.length + 4 + (Array.isArray(value) ? sum(value) : size(value)),
    2,
  );
}
