/** The documented limits of providers. */

import type { RequestLimits } from "../types/limits.ts";

/** The documented limits of a provider. */
export interface ProviderLimits extends RequestLimits {
  /** Limits of its models whose window has at least `minTokens`. */
  large?: { minTokens: number; limits: RequestLimits };
}

export const MB = 1_000_000;
export const MIB = 1_048_576;
