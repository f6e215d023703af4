/** Returns the number of pages of a PDF, as far as that is known without reading all of it. */

/** Base64 characters that are looked at on either end: page trees stand at one of them. A multiple of four. */
const WINDOW = 65_536;

const WINDOW_BYTES = (WINDOW / 4) * 3;

/** Any of these means a page tree; the root of it counts all pages, so the largest count is the one. */
const TREE = /\/Type\s*\/Pages\b/;

/**
 * The number of pages, or nothing if these are no PDF, or one that keeps its page tree compressed or in the middle.
 *
 * @param source Base64 without line breaks, or bytes. Both are looked at in the same places, so that a document has the
 *   same pages when it was stored as base64.
 */
export function pdfPages(source: string | Uint8Array): number | undefined {
  const text = typeof source === "string" ? endsOfBase64(source) : endsOfBytes(source);
  if (!text.startsWith("%PDF")) return undefined;
  let pages = 0;
  for (const object of text.split("endobj")) {
    if (!TREE.test(object)) continue;
    pages = Math.max(pages, Number(/\/Count\s+(\d{1,6})\b/.exec(object)?.[1] ?? 0));
  }
  return pages > 0 ? pages : undefined;
}

function endsOfBase64(source: string): string {
  // "%PDF" in base64.
  if (!source.startsWith("JVBER")) return "";
  const tail = Math.max(WINDOW, source.length - WINDOW);
  return decoded(source.slice(0, WINDOW)) + decoded(source.slice(tail - (tail % 4)));
}

function endsOfBytes(source: Uint8Array): string {
  const latin = new TextDecoder("latin1");
  const groups = Math.ceil(source.length / 3) * 3;
  const tail = Math.max(WINDOW_BYTES, groups - WINDOW_BYTES);
  return latin.decode(source.subarray(0, WINDOW_BYTES)) + latin.decode(source.subarray(tail));
}

function decoded(base64: string): string {
  try {
    // A text that was cut has half a group at its end.
    return atob(base64.slice(0, base64.length - (base64.length % 4)));
  } catch {
    return "";
  }
}
