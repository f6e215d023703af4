/** Converts the host's options for counting pictures. */

import { isBytes } from "../files/bytes.ts";
import { sourceOf } from "../formats/sources.ts";
import type { Reading } from "../formats/adapter.ts";
import { badOption as bad } from "../errors/errors.ts";
import { defined } from "../options/data.ts";
import type { CountOptions, ImageModel } from "../types/count.ts";
import type { Part } from "../types/messages.ts";
import { guarded } from "./host-failure.ts";

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

type ImageSize = NonNullable<CountOptions["imageSize"]>;
/** The sides of a picture, in pixels. */
type Sides = [width: number, height: number];
type EngineImageSize = (url?: string, data?: string, mediaType?: string) => Sides | undefined;

/** Max UTF-16 code units of the addresses and data whose sizes are remembered for one function. */
const MAX_REMEMBERED = 4 << 20;

const wrapped = new WeakMap<ImageSize, EngineImageSize>();

/** Returns the function that the engine calls for `imageSize`, the same one each time. It remembers sizes. */
export function hostImageSize(imageSize: ImageSize | undefined): EngineImageSize | undefined {
  if (imageSize === undefined) return undefined;
  const known = wrapped.get(imageSize);
  if (known) return known;
  const made = remembering(imageSize);
  wrapped.set(imageSize, made);
  return made;
}

function remembering(imageSize: ImageSize): EngineImageSize {
  const sizes = new Map<string, Sides>();
  let units = 0;
  return (url, data, mediaType) => {
    const key = url ?? data;
    const known = key === undefined ? undefined : sizes.get(key);
    if (key === undefined || known) return known;
    return guarded("imageSize", undefined, () => {
      const sides = sidesOf(imageSize(defined({ url, data, mediaType })));
      // The host may learn it later.
      if (!sides) return undefined;
      if (units > MAX_REMEMBERED) {
        sizes.clear();
        units = 0;
      }
      units += key.length;
      sizes.set(key, sides);
      return sides;
    });
  };
}

function sidesOf(size: unknown): Sides | undefined {
  if (size === undefined || size === null) return undefined;
  const { width, height } = size as { width?: unknown; height?: unknown };
  const isSide = (side: unknown): side is number => typeof side === "number" && side > 0 && side <= 0xffff_ffff;
  if (!isSide(width) || !isSide(height))
    throw bad("imageSize", "a function that returns a width and a height, both more than 0", size);
  return [Math.ceil(width), Math.ceil(height)];
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
