/** Options and result of `replayCost`. */

import type { CacheLifetime, Prices, Usage } from "../types/cache.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CountOptions } from "../types/count.ts";
import type { Llm } from "../types/llm.ts";
import type { LimitSource } from "../types/prune.ts";
import type { CacheRule } from "./rules.ts";

export interface ReplayCostOptions extends Omit<CountOptions, "tokenizer" | "imageSize"> {
  /** The model that the requests are priced for. Default: prices relative to plain input, and Anthropic's cache. */
  model?: string;
  /** Max input tokens of the model. Default: by its name, else 128,000. */
  window?: number;
  /** Max input tokens of the requests that are pruned or compacted. Default: the window. */
  budget?: number;
  /**
   * Lifetime of cache entries. `1h` doubles Anthropic's price of writing; for providers without a choice it only says
   * how long an entry is expected to stay. Default: the provider's.
   */
  lifetime?: CacheLifetime;
  /** The time of each message in milliseconds, in the order of the list. Default: unknown. */
  times?: readonly (number | undefined)[];
  /** Milliseconds between two requests whose messages have no times. Default 30,000. */
  paceMs?: number;
  /** Prices that replace those of the model: dollars per million tokens; without a model relative to plain input. */
  prices?: Prices;
  /** Writes the summaries of the conversation; its requests are priced like the others. Default: rules write them. */
  llm?: Llm;
  /** Prices summaries of this many tokens by a scripted model instead of rules. */
  summaryTokens?: number;
  /** The profile of the conversation. Default `espalier`. */
  profile?: CompactOptions["profile"];
  /** Called before each request of each way. */
  onProgress?: (progress: ReplayProgress) => void;
}

/** The request that is replayed now, counted from 1. */
export interface ReplayProgress {
  way: WayName;
  request: number;
  requests: number;
}

/**
 * `whole`: the whole conversation each time. When it no longer fits the window, its host keeps the system messages and
 * the newest others that fit. `prune`: a {@link Pruner}. `conversation`: {@link openConversation}.
 */
export type WayName = "whole" | "prune" | "conversation";

/** What a recorded conversation costs, sent in each way. */
export interface ReplayCost {
  model?: string;
  /** Dollars, or tokens of plain input if the model's prices are unknown. */
  unit: "dollars" | "inputTokens";
  /** Dollars per million tokens, or relative to plain input. */
  prices: Required<Prices>;
  /** The origin of the prices: a package with version and date, `options`, or `relative`. */
  priceSource: string;
  /** The provider's cache, with the source of its rules and the date on which it was read. */
  cache: Pick<CacheRule, "provider" | "kind" | "lifetimeMs" | "isAssumed" | "source"> & {
    minTokens: number;
    date: string;
  };
  /** Number of requests, and tokens of the whole conversation at the last one. */
  requests: number;
  tokens: number;
  window: number;
  windowSource: LimitSource;
  budget: number;
  /** True if at least one message has a time. */
  hasTimes: boolean;
  ways: WayCost[];
}

/** What the conversation costs in one way. */
export interface WayCost {
  way: WayName;
  /** All tokens, those of summaries included. */
  usage: Usage;
  cost: number;
  /** The part of `cost` for prompts. Answers cost the same in every way. */
  promptCost: number;
  /** Share of the cost of `whole` that is saved; negative if the way costs more; absent if requests failed. */
  saved?: number;
  /** Requests that no cached prefix was read for because of a pause, the first one excluded. */
  cold: number;
  /** Requests that could not be made: what must stay is larger than the budget. */
  failed: { request: number; message: string }[];
  /** For `whole`: the first request that is too large for the window. */
  refused?: { request: number; tokens: number };
  /** Summaries that a model wrote. */
  summaries: { calls: number; usage: Usage; cost: number };
  /** Requests that do not continue the previous one. */
  removals: RemovalCost[];
  rows: RequestCost[];
}

/** What a change of the cached prefix costs, and when it pays. */
export interface RemovalCost {
  request: number;
  /** Tokens that the request lacks: from now on no request pays for them. */
  removed: number;
  /** Tokens of earlier messages, or in place of them, that were written again. */
  rewritten: number;
  /** True if the cache had expired, so that everything had to be written in any case. */
  isCold: boolean;
  /** The cost of writing again, once, in the unit of the bill; and what each request saves. */
  once: number;
  perRequest: number;
  /** Number of requests after which the change has paid; absent if never. */
  breakEven?: number;
  /** Number of requests of the session from this one on. */
  requestsLeft: number;
}

/** One request of one way. */
export interface RequestCost {
  /** From 1. */
  request: number;
  time: number;
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  cost: number;
}
