/** `espalier/cache`: breakpoints and costs of prompt caches. */

export { cacheCost, clearingPays, placeMarks, stablePrefix } from "../cache/cache.ts";
export { addUsage, usageCost } from "../tokens/usage.ts";
export type { UsageCost } from "../tokens/usage.ts";
