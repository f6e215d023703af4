/** The host's function for the sizes of pictures as the engine calls it: it remembers sizes, and never throws. */

import { badOption as bad } from "../errors/errors.ts";
import { defined } from "../options/data.ts";
import type { CountOptions } from "../types/count.ts";
import { guarded } from "./host-failure.ts";

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
