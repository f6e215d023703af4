/** Packs values into text for the hash of an address, and unpacks what somebody sent. */

import { EspalierError } from "../../js/errors/errors.ts";

/** The version of what links hold. */
const VERSION = 1;
/** Characters of a link that all browsers and most programs for messages take. */
export const MAX_LINK = 32_000;
/** Longer texts are not unpacked: nobody makes such a link with this page. */
const MAX_READ = 1_000_000;
/** Max characters after unpacking, so that a small link cannot fill the memory. */
const MAX_UNPACKED = 50_000_000;

export async function pack(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 6_144)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 6_144))));
  return `${VERSION}.${parts.join("").replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

/** @throws EspalierError one plain sentence for links that are cut short, of another version or too long */
export async function unpack(text: string): Promise<unknown> {
  if (text.length > MAX_READ)
    throw refused(`This link is ${(text.length / 1e6).toFixed(1)} MB long, which is more than a link can be.`);
  const [, version, packed] = /^(\d+)\.([\w-]*)$/.exec(text) ?? [];
  if (packed === undefined) throw refused("This link is damaged: what it should hold cannot be read.");
  if (Number(version) !== VERSION)
    throw refused(
      `This link was made by version ${version} of this page, and this is version ${VERSION}. Ask for a new link.`,
    );
  try {
    return JSON.parse(await inflate(packed)) as unknown;
  } catch {
    throw refused("This link was cut short or changed on its way. Ask for it again, as a whole.");
  }
}

async function inflate(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let out = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return out + decoder.decode();
    out += decoder.decode(value, { stream: true });
    if (out.length > MAX_UNPACKED) throw new RangeError("too much");
  }
}

export const refused = (message: string) => new EspalierError({ code: "bad_input", message });
