/** Pictures and documents: from base64, a data URL or an address to a neutral part, and back. */

import type { Part } from "../types/messages.ts";
import { pdfPages } from "./pdf.ts";
import { sourceOf, withSource } from "./sources.ts";

/** Longest beginning of a picture that is passed on: only its header is read. */
const HEADER = 131_072;

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/i;

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/** A whole picture or document: base64 or bytes of a type, or an address. */
export interface Media {
  mediaType: string;
  base64?: string;
  url?: string;
  /** How closely the model looks at a picture. */
  detail?: string;
}

/** Returns the whole of a picture or document; undefined for other parts, and if the data is not at hand. */
export function mediaOf(part: Part): Media | undefined {
  if (part.type !== "image" && part.type !== "document") return undefined;
  const isImage = part.type === "image";
  const known = part.mediaType;
  const usual = isImage ? "image/png" : "application/pdf";
  const detail = isImage && part.detail !== undefined && { detail: part.detail };
  const source = sourceOf(part) ?? (isImage ? (part.url ?? part.data) : undefined);
  if (source === undefined || source === "") return undefined;
  if (typeof source !== "string") return { mediaType: known ?? usual, base64: base64Of(source), ...detail };
  const data = DATA_URL.exec(source.slice(0, 200));
  if (data) return { mediaType: data[1] || known || usual, base64: source.slice(data[0].length), ...detail };
  const isAddress = ADDRESS.test(source.slice(0, 20));
  return { mediaType: known ?? usual, [isAddress ? "url" : "base64"]: source, ...detail };
}

/** Returns the data URL, or the address. */
export function urlOf({ mediaType, base64, url }: Media): string {
  return url ?? `data:${mediaType};base64,${base64 ?? ""}`;
}

/** Returns the bytes of base64; throws if it is none. */
export function decodedBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
}

/** Returns the bytes of base64; undefined if it is none. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return decodedBase64(base64);
  } catch {
    return undefined;
  }
}

/** Returns bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // A multiple of three, so that the pieces can be joined.
  for (let at = 0; at < bytes.length; at += 6_144)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 6_144))));
  return pieces.join("");
}

/** A document from base64, a data URL or an address. */
export function documentPart(source: unknown, mediaType?: string): Part {
  const given = typeof source === "string" ? source : "";
  const data = DATA_URL.exec(given.slice(0, 200));
  const kind = data?.[1] || mediaType;
  const isAddress = !data && ADDRESS.test(given.slice(0, 20));
  const start = data?.[0].length ?? 0;
  const pages = isAddress ? undefined : pdfPages(start > 0 ? given.slice(start) : given);
  return withSource(
    {
      type: "document",
      ...(kind && { mediaType: kind }),
      dataLength: isAddress ? 0 : given.length - start,
      ...(pages !== undefined && { pages }),
    },
    given,
  );
}

/** A picture from base64, a data URL or an address. */
export function image(source: string, mediaType?: string, detail?: string): Part {
  const data = DATA_URL.exec(source.slice(0, 200));
  const kind = data?.[1] || mediaType;
  const base = { type: "image" as const, ...(kind && { mediaType: kind }), ...(detail && { detail }) };
  if (data) return withSource({ ...base, data: source.slice(data[0].length, data[0].length + HEADER) }, source);
  if (ADDRESS.test(source.slice(0, 20))) return withSource({ ...base, url: source }, source);
  return withSource({ ...base, data: source.slice(0, HEADER) }, source);
}

/** The beginning of bytes as base64. */
export function base64(bytes: Uint8Array): string {
  return base64Of(bytes.subarray(0, (HEADER / 4) * 3));
}
