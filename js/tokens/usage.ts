/** Arithmetic of usage: sums over requests, and their cost. */

import type { CacheLifetime, Prices, Usage } from "../types/cache.ts";
import { check, need } from "../options/check.ts";
import { defined } from "../options/data.ts";
import { PRICES, USAGE_COST } from "../options/schemas/requests.ts";

const FIELDS = ["input", "cacheRead", "cacheWrite", "output", "reasoning", "promptTotal"] as const;

/** Relative to plain input, as Anthropic charges; for most of its models output costs five times as much. */
const DEFAULTS: Required<Prices> = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
const ONE_HOUR_WRITE = 2;

/** Returns the prices with the defaults filled in. */
export function fullPrices(prices: Prices = {}, lifetime: CacheLifetime = "5m"): Required<Prices> {
  const full = { ...DEFAULTS, ...(lifetime === "1h" && { cacheWrite: ONE_HOUR_WRITE }) };
  return { ...full, ...defined(prices) };
}

/**
 * Returns the sum of several records, or a record of zeros if there are none. A field that is absent or not a number
 * counts as 0, since providers omit fields without a value.
 *
 * ```ts
 * import { addUsage } from "espalier/cache";
 *
 * const session = addUsage({ input: 900, output: 40 }, { input: 30, cacheRead: 900, output: 60 });
 * session.input; // => 930
 * session.output; // => 100
 * ```
 */
export function addUsage(...records: readonly (Partial<Usage> | undefined)[]): Usage {
  const sum: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, promptTotal: 0 };
  for (const record of records) {
    for (const name of FIELDS) {
      const value: unknown = record?.[name];
      if (typeof value === "number" && Number.isFinite(value)) sum[name] += value;
    }
  }
  return sum;
}

/** The cost of a usage, in the unit of the prices. */
export interface UsageCost {
  cost: number;
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  /** Savings of the cache against plain input; negative if writing cost more than reading saved. */
  saved: number;
  /** Share of the prompt that was read from the cache, from 0 to 1. */
  hitRate: number;
}

/**
 * Returns the cost of a request, or of a sum of requests.
 *
 * ```ts
 * import { usageCost } from "espalier/cache";
 *
 * const dollars = { input: 3e-6, cacheRead: 0.3e-6, cacheWrite: 3.75e-6, output: 15e-6 };
 * const { cost, saved } = usageCost({ input: 1_000, cacheRead: 100_000, output: 2_000 }, dollars);
 * cost.toFixed(4); // => "0.0630"
 * saved.toFixed(4); // => "0.2700"
 * ```
 *
 * @throws EspalierError `bad_option` with the path of an invalid price
 */
export function usageCost(
  usage: Partial<Usage>,
  prices: Prices = {},
  options: { lifetime?: CacheLifetime } = {},
): UsageCost {
  need(prices, PRICES, "options.prices");
  const { lifetime = "5m" } = check(options, USAGE_COST);
  const price = fullPrices(prices, lifetime);
  const of = addUsage(usage);
  const input = of.input * price.input;
  const cacheRead = of.cacheRead * price.cacheRead;
  const cacheWrite = of.cacheWrite * price.cacheWrite;
  const output = of.output * price.output;
  const prompt = of.input + of.cacheRead + of.cacheWrite;
  return {
    cost: input + cacheRead + cacheWrite + output,
    input,
    cacheRead,
    cacheWrite,
    output,
    saved: prompt * price.input - (input + cacheRead + cacheWrite),
    hitRate: prompt === 0 ? 0 : of.cacheRead / prompt,
  };
}
