/** Pictures and documents: from base64, a data URL or an address to a neutral part, and back. */

import type { Part } from "../types/messages.ts";
import { isBytes } from "../files/bytes.ts";
import { pdfPages } from "./pdf.ts";
import { sourceOf, withSource } from "./sources.ts";

/** Longest beginning of a picture that is passed on: only its header is read. */
const HEADER = 131_072;

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/i;

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/** Encoders break lines at 64 or 76 characters. */
const FIRST_LINE = 100;

/** A whole picture or document: base64 or bytes of a type, or an address. */
export interface Media {
  mediaType: string;
  base64?: string;
  url?: string;
  /** How closely the model looks at a picture. */
  detail?: string;
}

/** Beginnings of base64, and the type of the picture. */
const SIGNATURES: readonly [start: string, type: string][] = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** Returns the media type of a picture by its base64; undefined for another than the usual ones. */
export function pictureType(base64: string): string | undefined {
  return SIGNATURES.find(([start]) => base64.startsWith(start))?.[1];
}

/** Returns the whole of a picture or document; undefined for other parts, and if the data is not at hand. */
export function mediaOf(part: Part): Media | undefined {
  if (part.type !== "image" && part.type !== "document") return undefined;
  const isImage = part.type === "image";
  const known = part.mediaType;
  const usual = isImage ? (pictureType(part.data ?? "") ?? "image/png") : "application/pdf";
  const detail = isImage && part.detail !== undefined && { detail: part.detail };
  const source = sourceOf(part) ?? (isImage ? (part.url ?? part.data) : undefined);
  if (source === undefined || source === "") return undefined;
  // The id of a file with its provider is no address.
  if (isImage && part.url !== undefined && !ADDRESS.test(part.url.slice(0, 20))) return undefined;
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

/** Returns where the content of a data URL begins; 0 for anything else. */
export function startOfData(source: string): number {
  return /^data:/i.test(source) ? source.indexOf(",") + 1 : 0;
}

/** Returns whether a media type, or its beginning alone, is that of a picture. */
export function isImageType(mediaType: string | undefined): boolean {
  return mediaType !== undefined && /^image(\/|$)/i.test(mediaType);
}

/**
 * A document or recording from bytes, base64, a data URL or an address; from anything else one that its provider has.
 */
export function documentPart(source: unknown, mediaType?: string): Part {
  if (isBytes(source)) return document(source, mediaType, Math.ceil(source.length / 3) * 4, pdfPages(source));
  const given = typeof source === "string" ? source : "";
  const data = DATA_URL.exec(given.slice(0, 200));
  const kind = data?.[1] || mediaType;
  if (!data && ADDRESS.test(given.slice(0, 20))) return document(given, kind, 0);
  const body = withoutBreaks(data ? given.slice(data[0].length) : given);
  return document(given, kind, body.length, pdfPages(body));
}

function document(source: string | Uint8Array, mediaType: string | undefined, dataLength: number, pages?: number) {
  return withSource(
    { type: "document", ...(mediaType && { mediaType }), dataLength, ...(pages !== undefined && { pages }) },
    source,
  );
}

function withoutBreaks(base64: string): string {
  return /\s/.test(base64.slice(0, FIRST_LINE)) ? base64.replace(/\s+/g, "") : base64;
}

/** A recording, named as OpenAI does: `wav`, `mp3`, `pcm16`. */
export function audioPart(source: unknown, format: unknown): Part {
  return documentPart(source, typeof format === "string" && format ? `audio/${format}` : "audio");
}

/** Returns OpenAI's name of the format of a recording; undefined for those that it does not take. */
export function audioFormat(mediaType: string): "wav" | "mp3" | undefined {
  return /^audio\/(x-wav|wave?)$/i.test(mediaType) ? "wav" : /^audio\/(mpeg|mp3)$/i.test(mediaType) ? "mp3" : undefined;
}

/** A picture from bytes, base64, a data URL or an address. */
export function image(source: string | Uint8Array, mediaType?: string, detail?: string): Part {
  const data = typeof source === "string" ? DATA_URL.exec(source.slice(0, 200)) : undefined;
  const kind = data?.[1] || mediaType;
  const base = { type: "image" as const, ...(kind && { mediaType: kind }), ...(detail && { detail }) };
  if (typeof source !== "string") return withSource({ ...base, data: base64(source) }, source);
  if (data) return withSource({ ...base, data: source.slice(data[0].length, data[0].length + HEADER) }, source);
  if (ADDRESS.test(source.slice(0, 20))) return withSource({ ...base, url: source }, source);
  return withSource({ ...base, data: source.slice(0, HEADER) }, source);
}

/** A picture that its provider has: only its id is known. */
export function storedImage(id: string, mediaType?: string, detail?: string): Part {
  return { type: "image", url: id, ...(mediaType && { mediaType }), ...(detail && { detail }) };
}

/** The beginning of bytes as base64. */
export function base64(bytes: Uint8Array): string {
  return base64Of(bytes.subarray(0, (HEADER / 4) * 3));
}
