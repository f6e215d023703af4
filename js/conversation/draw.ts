/** Pseudo-random numbers for jitter, the same for the same log. */
import { hash32, spread } from "../files/hash.ts";

/** Returns a number in [0, 1) for a seed and a purpose. Spread, since FNV's last step changes few of the bits. */
export function draw(seed: string | number, what: string): number {
  return spread(hash32(`${seed}/${what}`)) / 2 ** 32;
}
