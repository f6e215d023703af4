/** Reads the width and height of pictures from the beginning of their base64. */

/** Max characters that are read: a JPEG may begin with a preview and a colour profile. */
export const HEAD = 400_000;

/** Returns the longer side in pixels; undefined if the beginning does not contain it. For PNG, GIF, JPEG and WebP. */
export function longerSide(base64: string): number | undefined {
  const bytes = decoded(base64);
  const size = bytes && (png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes));
  return size && Math.max(...size);
}

type Size = readonly [width: number, height: number] | undefined;

function decoded(base64: string): Uint8Array | undefined {
  try {
    const body = base64.replace(/\s/g, "");
    const text = atob(body.slice(0, body.length - (body.length % 4)));
    return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  } catch {
    // Not base64: the provider refuses it, and `validate` reports that.
    return undefined;
  }
}

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const says = (bytes: Uint8Array, at: number, word: string) =>
  [...word].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));

function png(bytes: Uint8Array): Size {
  if (bytes.length < 24 || !says(bytes, 1, "PNG")) return undefined;
  return [view(bytes).getUint32(16), view(bytes).getUint32(20)];
}

function gif(bytes: Uint8Array): Size {
  if (bytes.length < 10 || !says(bytes, 0, "GIF8")) return undefined;
  return [view(bytes).getUint16(6, true), view(bytes).getUint16(8, true)];
}

function webp(bytes: Uint8Array): Size {
  if (bytes.length < 30 || !says(bytes, 0, "RIFF") || !says(bytes, 8, "WEBP")) return undefined;
  const data = view(bytes);
  if (says(bytes, 12, "VP8X"))
    return [(data.getUint32(24, true) & 0xffffff) + 1, ((data.getUint32(26, true) >>> 8) & 0xffffff) + 1];
  if (says(bytes, 12, "VP8L")) {
    const bits = data.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  return [data.getUint16(26, true) & 0x3fff, data.getUint16(28, true) & 0x3fff];
}

/** Reads the frame header of a JPEG: the first segment that starts a frame. */
function jpeg(bytes: Uint8Array): Size {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const data = view(bytes);
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + data.getUint16(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [data.getUint16(at + 7), data.getUint16(at + 5)];
  }
  return undefined;
}
