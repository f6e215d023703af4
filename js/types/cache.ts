/** Usage, prices, cache marks. */

import type { CountOptions, Origin } from "./count.ts";
import type { ToolList } from "./messages.ts";
import type { PruneReport } from "./prune.ts";

/** What a request took, by the provider's own account, the same for all providers. */
export interface Usage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Everything the model wrote, thoughts included. */
  output: number;
  /** The part of `output` that is thoughts, where the provider says. */
  reasoning: number;
  /** `input` + `cacheRead` + `cacheWrite`. */
  promptTotal: number;
  /** What the provider said, as it said it. Sums have none. */
  raw?: unknown;
}

/** Prices of a token, in any unit: relative to plain input (as the defaults are), or money. */
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

/** How long a cache entry lives after its last use. */
export type CacheLifetime = "5m" | "1h";

export interface MarkOptions extends CountOptions {
  /** `espalier` (default) places marks by value, `copilot-chat` where Copilot Chat does. */
  profile?: "espalier" | "copilot-chat";
  /** Marks on messages (`openai`), or on blocks and tool definitions (`anthropic`). Default: as the format is. */
  scheme?: "openai" | "anthropic";
  /** Marks that the provider allows in one request. Default 4. */
  maxMarks?: number;
  /**
   * Lifetime of new marks: on tools and system text, and in messages. Longer ones come first. Default `5m`; marks of VS
   * Code have none.
   */
  lifetime?: CacheLifetime | { prefix?: CacheLifetime; messages?: CacheLifetime };
  /** `newest` of the previous request's result. */
  previousNewest?: NewestMark;
  /**
   * Tokens below which the provider caches nothing. Default: by the model, 1,024 if it is not known; 0 for
   * `copilot-chat`.
   */
  minPrefixTokens?: number;
  /** Id or index of the newest summary of earlier history; one of Espalier's own is recognised. */
  summary?: string | number;
  /** Anthropic's system prompt, where `messages` is a list without a request around it. */
  system?: unknown;
  /**
   * OpenAI-like formats: `message` sets `copilot_cache_control` beside the content, `part` sets `cache_control` on a
   * content part.
   */
  style?: "message" | "part";
  /** AI SDK: the provider in whose options marks are set. Default `anthropic`. */
  providerKey?: string;
  /** VS Code: makes a data part. Default: an object of the class that other data parts of the conversation have. */
  dataPart?: (data: Uint8Array, mimeType: string) => unknown;
}

/**
 * Where a mark is: on a tool definition, or on a part of a message (both by index; `message` is the message's id).
 * Parts are those of the neutral message, marks not counted: in most formats the index is that of the content block.
 */
export type MarkPlace = { tool: number } | { message: string; index: number; part?: number };

export type PlacedMark = MarkPlace & {
  lifetime: CacheLifetime;
  /** `caller` for marks that were there. */
  why: "tools" | "system" | "newest" | "previous" | "summary" | "user" | "caller" | "round" | "answer" | "leading";
};

/** The newest mark of a request. Plain data: keep it for the next request. */
export interface NewestMark {
  message: string;
  part?: number;
  /** Names everything up to the mark. Without it you vouch that nothing changed there. */
  prefix?: string;
}

export interface MarkResult<T> {
  /** The same shape as what was passed in; messages without a change are the caller's own objects. */
  messages: T;
  /** The tool definitions and the system prompt with their marks, where they were passed as options. */
  tools?: ToolList;
  system?: unknown;
  /** All marks of the request, in the order in which the provider reads them. */
  marks: PlacedMark[];
  /** Marks of the caller's that went: they stood where none may stand, or there were too many. */
  unmarked: (MarkPlace & { why: "cannot-carry" | "over-limit" | "replaced" })[];
  newest?: NewestMark;
}

export interface PrefixOptions extends CountOptions {
  /** Tool definitions of the previous request. Default: those in it, else the same as now. */
  previousTools?: readonly unknown[];
  /**
   * The report of the `prune` or `compact` that made the newer request: it names the cause of a difference. Default:
   * no cause is named.
   */
  report?: Pick<PruneReport, "messages">;
  /** The report of the `prune` or `compact` that made the previous request. Default: its changes have no cause. */
  previousReport?: Pick<PruneReport, "messages">;
  /** What each message of the newer request costs, where you hold that already: nothing is counted again. */
  counts?: readonly number[];
}

/** The beginning that two requests share. */
export interface SharedPrefix {
  /** Messages that are equal. */
  messages: number;
  /** Tokens of equal tools and messages, and of the equal parts in front of the first difference. */
  tokens: number;
  origin: Origin;
  /** True if the request begins with everything the previous one had. */
  extends: boolean;
  difference?: {
    /** Index of the message, or of the tool if `kind` is `tools`. */
    index: number;
    /** Id of the message, or name of the tool. */
    id: string;
    part?: number;
    kind:
      | "tools"
      | "role"
      | "name"
      | "text"
      | "call"
      | "result"
      | "media"
      | "opaque"
      | "kind"
      | "partsAdded"
      | "partsRemoved"
      | "messagesRemoved";
    /** Where two texts part, in UTF-16 code units. */
    offset?: number;
    /** With `report`: the rule that brought it about and the messages it was applied to; `input` if it was no rule. */
    cause?: { rule: string; ids: string[] };
  };
}

export interface CacheCostOptions {
  /** Prompt tokens of the request. */
  total: number;
  /** Tokens it shares with the previous one. Default 0. */
  shared?: number;
  /** Tokens in front of the newest mark, which are written where they are not read. Default: all. */
  marked?: number;
  /** Tokens of the answer. Default 0. */
  output?: number;
  /** The chance that the shared prefix is still cached, from 0 to 1. Default 1. */
  hitRate?: number;
  /** Prices of a token. Default: relative to plain input, as {@link Prices} says. */
  prices?: Prices;
  /** Lifetime of the entries, for the default price of writing. */
  lifetime?: CacheLifetime;
}

export interface CacheCost {
  /** In the unit of the prices. */
  cost: number;
  /** Tokens expected to be read, written, and paid for plainly. */
  cacheRead: number;
  cacheWrite: number;
  input: number;
  /** The same request without a cache. */
  withoutCache: number;
}

export interface ClearingOptions {
  /** Tokens that would go. */
  cleared: number;
  /** Tokens behind the first of them that stay, and must be written anew. */
  suffix: number;
  /** Tokens that would be put in their place. Default 0. */
  replacement?: number;
  /** What the change itself costs (a summary's model call), in the unit of the prices. Default 0. */
  extra?: number;
  /** Requests that are expected, the next one included. Default 10. */
  requests?: number;
  /** The chance that the prefix is still cached when a request comes, from 0 to 1. Default 1. */
  hitRate?: number;
  /** Prices of a token. Default: relative to plain input, as {@link Prices} says. */
  prices?: Prices;
  /** Lifetime of the entries, for the default price of writing. Default `5m`. */
  lifetime?: CacheLifetime;
}

export interface ClearingDecision {
  pays: boolean;
  /** Saved over the expected requests; negative if it costs more than it saves. */
  saved: number;
  /** What the change costs once, and what it saves with each request. */
  once: number;
  perRequest: number;
  /** The least number of requests with which nothing is lost; absent if there is none. */
  breakEven?: number;
}
