/** The host's function for the sizes of pictures as the engine calls it: it remembers sizes, and never throws. */

import { badOption as bad } from "../errors/errors.ts";
import { defined } from "../options/data.ts";
import type { CountOptions } from "../types/count.ts";
import { guarded } from "./host-failure.ts";
import { eachOnce, Remembered } from "./host-functions.ts";

type ImageSize = NonNullable<CountOptions["imageSize"]>;
/** The sides of a picture, in pixels. */
type Sides = [width: number, height: number];
type EngineImageSize = (url?: string, data?: string, mediaType?: string) => Sides | undefined;

/** Returns the function that the engine calls for `imageSize`, the same one each time. It remembers sizes. */
export const hostImageSize = eachOnce((imageSize: ImageSize): EngineImageSize => {
  const sizes = new Remembered<Sides>();
  return (url, data, mediaType) => {
    const key = url ?? data;
    const known = key === undefined ? undefined : sizes.get(key);
    if (key === undefined || known) return known;
    return guarded("imageSize", undefined, () => {
      const sides = sidesOf(imageSize(defined({ url, data, mediaType })));
      // The host may learn it later.
      if (sides) sizes.set(key, sides);
      return sides;
    });
  };
});

function sidesOf(size: unknown): Sides | undefined {
  if (size === undefined || size === null) return undefined;
  const { width, height } = size as { width?: unknown; height?: unknown };
  const isSide = (side: unknown): side is number => typeof side === "number" && side > 0 && side <= 0xffff_ffff;
  if (!isSide(width) || !isSide(height))
    throw bad("imageSize", "a function that returns a width and a height, both more than 0", size);
  return [Math.ceil(width), Math.ceil(height)];
}
