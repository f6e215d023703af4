/** Code in an address: deflated, in base64url. */

/** Max characters of code in an address; browsers and mail programs cut longer ones. */
export const MAX_SHARED = 32_000;

export async function pack(code: string): Promise<string> {
  const stream = new Blob([code]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let raw = "";
  for (const byte of bytes) raw += String.fromCharCode(byte);
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Max characters that are unpacked: a short address must not become a text that fills the memory. */
const MAX_UNPACKED = 1_000_000;

/** Returns undefined for an address that was cut short or is of something else. */
export async function unpack(packed: string): Promise<string | undefined> {
  try {
    const raw = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length > MAX_UNPACKED) return undefined;
    }
    return text + decoder.decode();
  } catch {
    return undefined;
  }
}
