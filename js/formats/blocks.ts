/** What the writers for Anthropic and Gemini have in common. */

/** A picture or document as its provider wants it: the data with its type, or an address. */
export type Source = { data: string; mediaType: string } | { url: string };

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/** A data URL taken apart, an address, or bare base64 of a given type. */
export function sourceOf(url: string, mediaType: string | undefined): Source {
  const head = DATA_URL.exec(url.slice(0, 200));
  if (head) return { data: url.slice(head[0].length), mediaType: head[1] || mediaType || "image/png" };
  return ADDRESS.test(url.slice(0, 20)) ? { url } : { data: url, mediaType: mediaType ?? "image/png" };
}

/** The words of a text document; undefined if it is something else. */
export function textDocument(data: string, mediaType: string): string | undefined {
  if (!mediaType.startsWith("text/")) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  } catch {
    // No base64 after all; the provider will say so better than a guess here.
    return undefined;
  }
}

/** Results come before words: providers refuse a message that answers calls further down. */
export function resultsFirst<T>(list: readonly T[], isResult: (item: T) => boolean): T[] {
  return [...list.filter(isResult), ...list.filter((item) => !isResult(item))];
}
