/** Pictures and documents: from base64, a data URL or an address to a neutral part, and back. */

import type { Part } from "../types/messages.ts";
import { pdfPages } from "./pdf.ts";
import { sourceOf, withSource } from "./sources.ts";

/** Longest beginning of a picture that is passed on: only its header is read. */
const HEADER = 131_072;

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/i;

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/**
 * A whole picture: its address, or base64 with its type. Undefined for other parts, and for pictures that are not
 * there.
 */
export function picture(part: Part): { url: string } | { data: string; mediaType: string } | undefined {
  if (part.type !== "image") return undefined;
  if (part.url !== undefined) return { url: part.url };
  const source = sourceOf(part) ?? part.data;
  if (typeof source !== "string" || source === "") return undefined;
  return { data: source.replace(DATA_URL, ""), mediaType: part.mediaType ?? "image/png" };
}

/** A picture as an address that browsers and OpenAI take. */
export function pictureUrl(part: Part): string | undefined {
  const found = picture(part);
  if (!found) return undefined;
  return "url" in found ? found.url : `data:${found.mediaType};base64,${found.data}`;
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
  const head = bytes.subarray(0, (HEADER / 4) * 3);
  let text = "";
  for (let at = 0; at < head.length; at += 8192) text += String.fromCharCode(...head.subarray(at, at + 8192));
  return btoa(text);
}
