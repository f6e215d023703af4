/** Shared prefixes, prices and marks of providers' caches. Written by `npm run types`: do not edit. */

import type { Origin } from "./count.ts";

/** How long a cache entry lives after its last use. The shorter one is every provider's default. */
export type CacheLifetime = "5m" | "1h";

/** The newest mark of a request: plain data to keep for the next request. */
export interface NewestMark {
  /** Id of the message. */
  message: string;
  /** Index of the part, without counting marks, which may change; absent if the message has no part. */
  part?: number;
  /** Fingerprint of everything up to the mark. Without it the caller guarantees that nothing changed there. */
  prefix?: string;
}

/** The common beginning of two requests. */
export interface SharedPrefix {
  /** Number of equal messages. */
  messages: number;
  /** Tokens of the equal tools and messages, and of the equal parts before the first difference. */
  tokens: number;
  origin: Origin;
  /** True if the request begins with the whole previous one. */
  extends: boolean;
  /** The first position at which two requests differ. */
  difference?: {
    /** Index of the message, or of the tool if `kind` is `tools`. */
    index: number;
    /** Its id in the newer request; in the older one if the newer one ends before it. */
    id: string;
    /** Index of the part. */
    part?: number;
    /**
     * The kind of the first difference.
     * - `tools`: A tool definition; these precede all messages.
     * - `text`: A text or a thought changed.
     * - `call`: A call changed: its tool, arguments or id.
     * - `result`: A result changed: its content, id or outcome.
     * - `media`: A picture or a document changed.
     * - `kind`: The part has another kind.
     * - `partsAdded`: The message has more or fewer parts than before.
     * - `messagesRemoved`: The request ends before the previous one did.
     */
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
    /** If texts differ: UTF-16 code units at their beginning that both share. */
    offset?: number;
    /** With `report`: the rule that brought it about. */
    cause?: {
      /** The rule that changed, dropped or inserted a message; `input` if the host's own messages differ. */
      rule: string;
      /** Ids of the messages to which the rule was applied, as in the report. */
      ids: string[];
    };
  };
}

/** The expected cost of one request. */
export interface CacheCost {
  /** The total, in the unit of the prices. */
  cost: number;
  /** Expected tokens that are read from the cache, written to it, and paid as plain input. */
  cacheRead: number;
  cacheWrite: number;
  input: number;
  /** The cost of the same request without a cache. */
  withoutCache: number;
}

/** Says whether a change pays. */
export interface ClearingDecision {
  pays: boolean;
  /** Savings over the expected requests; negative if the change costs more than it saves. */
  saved: number;
  /** The cost of the change, once. */
  once: number;
  /** The savings with every request. */
  perRequest: number;
  /** Min number of requests (at least 1) after which the change costs nothing; absent if there is none. */
  breakEven?: number;
}
