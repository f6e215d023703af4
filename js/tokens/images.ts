/** Converts the host's options for counting pictures. */

import { isBytes } from "../files/bytes.ts";
import { sourceOf } from "../formats/sources.ts";
import type { Reading } from "../formats/adapter.ts";
import { badOption as bad } from "../errors/errors.ts";
import type { CountOptions, ImageModel } from "../types/count.ts";
import type { Part } from "../types/messages.ts";

const NAMES: readonly string[] = ["openai-tiles", "openai-patches", "anthropic", "gemini", "gemini-cli"];
/** The numbers of OpenAI's usual models. */
const TILES = { base: 85, tile: 170 };

/** Converts the formula to the engine's form: its name and its numbers. */
export function imageModel(images: ImageModel | undefined): { images?: string; imageNumbers?: number[] } {
  if (images === undefined) return {};
  const { kind, ...numbers } =
    typeof images === "string"
      ? { kind: images }
      : ((images as Exclude<ImageModel, string> | null) ?? { kind: images });
  if (typeof kind !== "string" || !NAMES.includes(kind))
    throw bad("images", `one of ${NAMES.join(", ")}, or an object with such a kind`, kind);
  const number = (name: string, otherwise: number, most: number): number => {
    const value = (numbers as Record<string, unknown>)[name] ?? otherwise;
    if (typeof value !== "number" || !(value >= 0 && value <= most))
      throw bad(`images.${name}`, `a number from 0 to ${most}`, value);
    return value;
  };
  if (kind === "openai-tiles")
    return {
      images: kind,
      imageNumbers: [number("base", TILES.base, 1e6), number("tile", TILES.tile, 1e6)].map(Math.round),
    };
  if (kind === "openai-patches") return { images: kind, imageNumbers: [Math.round(100 * number("factor", 1, 1e4))] };
  return { images: kind };
}

/** Base64 beginnings of the formats whose size the engine finds by itself: PNG, GIF, JPEG, RIFF (WebP). */
const KNOWN = /^\s*(iVBORw0KGgo|R0lGODdh|R0lGODlh|\/9j\/|UklGR)/;

/** Returns the sizes of pictures of other formats, by address or data; asks the host once for each. */
export function imageSizes(
  reading: Reading,
  imageSize: CountOptions["imageSize"],
): { imageKeys?: string[]; imageSides?: number[] } {
  if (imageSize === undefined) return {};
  const sizes = new Map<string, [number, number] | undefined>();
  const ask = (part: Part) => {
    if (part.type === "toolResult") part.content.forEach(ask);
    if (part.type !== "image") return;
    const { url, data, mediaType } = part;
    const key = url ?? data;
    if (key === undefined || sizes.has(key) || (data !== undefined && KNOWN.test(data))) return;
    const size: unknown = imageSize({
      ...(url !== undefined && { url }),
      ...(data !== undefined && { data }),
      ...(mediaType !== undefined && { mediaType }),
    });
    if (size === undefined || size === null) return void sizes.set(key, undefined);
    const { width, height } = size as { width?: unknown; height?: unknown };
    const isSide = (side: unknown): side is number => typeof side === "number" && side > 0 && side <= 0xffff_ffff;
    if (!isSide(width) || !isSide(height))
      throw bad("imageSize", "a function that returns a width and a height, both more than 0", size);
    sizes.set(key, [Math.ceil(width), Math.ceil(height)]);
  };
  for (const { parts } of reading.messages) parts.forEach(ask);
  const known = [...sizes].flatMap(([key, size]) => (size ? [{ key, size }] : []));
  return { imageKeys: known.map(({ key }) => key), imageSides: known.flatMap(({ size }) => size) };
}

/** Max bytes of the pictures in the results of one turn: 2.5 MiB, Copilot Chat's figure. */
export const IMAGE_BYTES = 2_621_440;

/**
 * Returns the pictures in results, with their bytes, in the engine's form; nothing if all of them together are within
 * `most`. Addresses have no bytes.
 */
export function resultPictures(
  { messages }: Reading,
  most: number,
): { id: string; part: number; item: number; bytes: number }[] {
  const pictures: { id: string; part: number; item: number; bytes: number }[] = [];
  let sum = 0;
  for (const { id, parts } of messages) {
    for (let part = 0; part < parts.length; part += 1) {
      const result = parts[part]!;
      if (result.type !== "toolResult") continue;
      result.content.forEach((inner, item) => {
        const bytes = inner.type === "image" ? bytesOf(inner) : 0;
        sum += bytes;
        if (bytes > 0) pictures.push({ id, part, item, bytes });
      });
    }
  }
  return sum > most ? pictures : [];
}

/** Returns the bytes of a picture that is sent inline. */
export function bytesOf(image: Extract<Part, { type: "image" }>): number {
  const source = sourceOf(image) ?? image.data;
  if (isBytes(source)) return source.length;
  if (source === undefined || image.url !== undefined) return 0;
  return Math.floor((source.length - (source.startsWith("data:") ? source.indexOf(",") + 1 : 0)) / 4) * 3;
}
