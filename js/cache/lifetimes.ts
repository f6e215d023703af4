/** The lifetimes that hosts name, in milliseconds. */

import type { CacheLifetime } from "../types/cache.ts";

const MINUTE = 60_000;

export const LIFETIMES: Readonly<Record<CacheLifetime, number>> = { "5m": 5 * MINUTE, "1h": 60 * MINUTE };
