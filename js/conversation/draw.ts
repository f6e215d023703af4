/** Numbers that look random and are the same for the same log: what jitter is drawn from. */
import { hash32, spread } from "../files/hash.ts";

/** A number in [0, 1) from a seed and what it is drawn for. Spread, since FNV's last step changes few of the bits. */
export function draw(seed: string | number, what: string): number {
  return spread(hash32(`${seed}/${what}`)) / 2 ** 32;
}
