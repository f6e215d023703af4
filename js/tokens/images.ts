/** Converts the host's options for counting pictures. */

import { isBytes } from "../files/bytes.ts";
import { startOfData } from "../formats/media.ts";
import { sourceOf } from "../formats/sources.ts";
import type { Reading } from "../formats/adapter.ts";
import { badOption as bad } from "../errors/errors.ts";
import type { ImageModel } from "../types/count.ts";
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
  return Math.floor((source.length - startOfData(source)) / 4) * 3;
}
