/** Usage, prices, cache marks. */

import type { CountOptions } from "./count.ts";
import type { CacheLifetime, NewestMark } from "./generated/cache.ts";
import type { ToolList } from "./messages.ts";
import type { PruneReport } from "./prune.ts";

export type * from "./generated/cache.ts";

/** The tokens of a request as the provider reported them, in one form for all providers. */
export interface Usage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** All tokens that the model wrote, reasoning included. */
  output: number;
  /** The part of `output` that is reasoning, if the provider reports it. */
  reasoning: number;
  /** `input` + `cacheRead` + `cacheWrite`. */
  promptTotal: number;
  /** The provider's own report. Sums have none. */
  raw?: unknown;
}

/** Prices of a token in any unit: relative to plain input, as the defaults are, or money. */
export interface Prices {
  /** A token that is neither read from a cache nor written to one. Default 1. */
  input?: number;
  /** A token read from the cache. Default 0.1. */
  cacheRead?: number;
  /** A token written to the cache. Default 1.25; 2 with a lifetime of one hour. */
  cacheWrite?: number;
  /** A token of the answer. Default 5. */
  output?: number;
}

export interface MarkOptions extends CountOptions {
  /** `espalier` (default) places marks by value; `copilot-chat` places them where Copilot Chat does. */
  profile?: "espalier" | "copilot-chat";
  /** Marks on messages (`openai`), or on blocks and tool definitions (`anthropic`). Default: by the format. */
  scheme?: "openai" | "anthropic";
  /** Max marks in one request. Default 4. */
  maxMarks?: number;
  /**
   * Lifetime of new marks: on tools and system text, and in messages. Longer ones come first. Default `5m`; marks of VS
   * Code have none.
   */
  lifetime?: CacheLifetime | { prefix?: CacheLifetime; messages?: CacheLifetime };
  /** `newest` of the previous request's result. */
  previousNewest?: NewestMark;
  /**
   * Min tokens of a prefix that the provider caches. Default: by the model, 1,024 if it is not known; 0 for
   * `copilot-chat`.
   */
  minPrefixTokens?: number;
  /** Id or index of the newest summary of earlier history. Espalier's own summaries are recognised. */
  summary?: string | number;
  /** Anthropic's system prompt, if `messages` is a list without a request around it. */
  system?: unknown;
  /**
   * For `openai-chat`: `message` sets `copilot_cache_control` beside the content, as Copilot's server reads it; `part`
   * sets `cache_control` on a content part, as routers such as OpenRouter and LiteLLM do. Default `message`, or no
   * marks if `model` is one of OpenAI's.
   */
  style?: "message" | "part";
  /** For the AI SDK: the provider in whose options marks are set. Default `anthropic`. */
  providerKey?: string;
  /** For VS Code: makes a data part. Default: an object of the class of the other data parts in the conversation. */
  dataPart?: (data: Uint8Array, mimeType: string) => unknown;
}

/**
 * Where a mark is: on a tool definition, or on a part of a message. Both are indices; `message` is the message's id.
 * Parts are those of the neutral message without marks: in most formats the index is that of the content block.
 */
export type MarkPlace = { tool: number } | { message: string; index: number; part?: number };

export type PlacedMark = MarkPlace & {
  lifetime: CacheLifetime;
  /**
   * What the mark is at. `caller`: it was there. `user`: the newest message of the user, if there is no summary.
   * `round`, `answer` and `leading` (the results of a round, an answer without calls, the first messages) are places of
   * the profile `copilot-chat`.
   */
  why: "tools" | "system" | "newest" | "previous" | "summary" | "user" | "caller" | "round" | "answer" | "leading";
};

export interface MarkResult<T> {
  /** The same shape as the input; unchanged messages are the caller's own objects. */
  messages: T;
  /** The tool definitions with their marks, if they were passed as options. `system` likewise. */
  tools?: ToolList;
  system?: unknown;
  /** All marks of the request, in the order in which the provider reads them. */
  marks: PlacedMark[];
  /** Removed marks of the caller: their place cannot carry a mark, or there were too many. */
  unmarked: (MarkPlace & { why: "cannot-carry" | "over-limit" | "replaced" })[];
  newest?: NewestMark;
}

export interface PrefixOptions extends CountOptions {
  /** Tool definitions of the previous request. Default: those in the request, else this request's. */
  previousTools?: readonly unknown[];
  /**
   * The report of the `prune` or `compact` that made the newer request. It names the cause of a difference. Default: no
   * cause is named.
   */
  report?: Pick<PruneReport, "messages">;
  /** The report of the `prune` or `compact` that made the previous request. Default: its changes have no cause. */
  previousReport?: Pick<PruneReport, "messages">;
  /** Tokens of each message of the newer request, if you have them: then nothing is counted again. */
  counts?: readonly number[];
}

export interface CacheCostOptions {
  /** Prompt tokens of the request. */
  total: number;
  /** Tokens that it shares with the previous request. Default 0. */
  shared?: number;
  /** Tokens before the newest mark: those that are not read from the cache are written to it. Default: all. */
  marked?: number;
  /** Tokens of the answer. Default 0. */
  output?: number;
  /** Probability that the shared prefix is still cached, from 0 to 1. Default 1. */
  hitRate?: number;
  /** Prices of a token. Default: relative to plain input, as {@link Prices} says. */
  prices?: Prices;
  /** Lifetime of the entries, for the default price of writing. */
  lifetime?: CacheLifetime;
}

export interface ClearingOptions {
  /** Tokens that would be cleared. */
  cleared: number;
  /** Tokens that stay behind the first cleared one, and must be written again. */
  suffix: number;
  /** Tokens that would replace them. Default 0. */
  replacement?: number;
  /** Cost of the change itself (a summary's model call), in the unit of the prices. Default 0. */
  extra?: number;
  /** Number of expected requests, the next one included. Default 10. */
  requests?: number;
  /** Probability that the prefix is still cached when a request arrives, from 0 to 1. Default 1. */
  hitRate?: number;
  /** Prices of a token. Default: relative to plain input, as {@link Prices} says. */
  prices?: Prices;
  /** Lifetime of the entries, for the default price of writing. Default `5m`. */
  lifetime?: CacheLifetime;
}
