/** `espalier/bill`: what a recorded conversation costs, request by request. */

export { replayCost } from "../bill/bill.ts";
export type {
  RemovalCost,
  ReplayCost,
  ReplayCostOptions,
  ReplayProgress,
  RequestCost,
  WayCost,
  WayName,
} from "../bill/types.ts";
export type { CacheRule } from "../bill/rules.ts";
