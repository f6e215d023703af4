/** The state of a conversation in the engine. Written by `npm run types`: do not edit. */

import type { Trigger } from "./compact.ts";
import type { Origin, Totals } from "./count.ts";
import type { DropMedia } from "./prune.ts";

/** Tokens of the next request. */
export interface ContextUsage {
  /** Max input tokens of a request, the base of ratios. */
  limit: number;
  /**
   * The source of a limit.
   * - `budget`: The caller.
   * - `contextWindow`: The window without the output reserve.
   * - `modelName`: The window of models with this name, without the output reserve.
   * - `assumedLimit`: The default, `ASSUMED`.
   * - `learned`: What refusals taught.
   * - `threshold`: The user's share of the model's limit.
   * - `maxContextTokens`: The user's number of tokens.
   * - `defaultTier`: Input tokens of the model's default tier.
   */
  limitSource:
    | "budget"
    | "maxPromptTokens"
    | "contextWindow"
    | "modelName"
    | "assumedLimit"
    | "learned"
    | "threshold"
    | "maxContextTokens"
    | "defaultTier";
  /** Tokens of the view, as the provider is expected to count them, including the possible error `bound`. */
  used: number;
  /** The included error. */
  bound: number;
  origin: Origin;
  /**
   * The expected tokens, `used` without `bound`, as a share of `limit`; triggers compare it. For profiles that use the
   * server's counts, the server's last count (see `Profile.measured`).
   */
  ratio: number;
  messages: number;
  frame: number;
  conversation: number;
  tools: number;
}

/** The current state of the next request. */
export interface Look {
  usage: ContextUsage;
  /** Maximum tokens of the request, by the provider's count. */
  request: number;
  /** Our tokens that are expected to be within `request`. */
  budget: number;
  /** Our tokens that are expected to be within the model's window, whatever the user's settings. */
  window: number;
  overflows: boolean;
  /** True if it is full enough for a compaction to start. */
  starts: boolean;
  /** True if the provider has most of it in its cache. */
  isWarm: boolean;
  /** Number of messages in the view, by the profile's rule. */
  counted: number;
  /** True if nothing happened since a compaction was applied. */
  isCompacted: boolean;
  /** Set while a request is retried that the provider refused for its bytes. */
  dropMedia?: DropMedia;
}

/** The state of the job. */
export type Phase =
  | "idle"
  | "running"
  | "ready"
  /** Ready, and kept because it was not needed yet. */
  | "parked"
  | "failed";

/** The decision about another attempt. */
export type Verdict =
  | "try"
  /** The model failed twice in a row and is skipped: rules alone write the summary. */
  | "offline"
  /**
   * A summary was longer than the messages that it replaces, and the rule remembers that: results are cut, nothing is
   * summarised.
   */
  | "cutOnly"
  /** Too early. */
  | "notYet"
  /** The same plan gained nothing. */
  | "blocked";

/** The steps before a request is sent. */
export interface RequestStep {
  look: Look;
  /** A compaction that is due before the request. */
  due?: {
    trigger: Trigger;
    verdict: Verdict;
    /**
     * Tokens of the newest results that may be left out instead, beside those that the previous request left out: a
     * compaction changes everything that the provider has cached. Absent if there must be a compaction.
     */
    spare?: number;
  };
  /** True if the provider refused the previous request. */
  isForced: boolean;
}

/** A report that does not match its request. */
export interface OddUsage {
  /**
   * The kind of an odd report.
   * - `overflow`: The provider did not read the whole request, or its count exceeds the window.
   * - `low`: The report is far too low.
   * - `overhead`: By its reports, even a request without messages would hardly fit.
   * - `unsteady`: Reports vary too much to predict the next one.
   */
  why: "overflow" | "low" | "overhead" | "unsteady";
  /**
   * How a mismatch was noticed.
   * - `overWindow`: The report exceeds the window.
   * - `truncated`: Two consecutive reports are clearly lower than the request: the server cut it.
   * - `odd`: The report is clearly lower than the request, but nothing proves that the server cut it. Some servers
   *   report only uncached tokens.
   */
  kind?: "overWindow" | "truncated" | "odd";
  reported: number;
  expected: number;
  /** Maximum tokens of the model's next request, by the provider's count. `undefined` if nothing was learned. */
  limit?: number;
}

/** The result of finishing a compaction. */
export interface Finished {
  /** The reason why the edits were not adopted. */
  error?: string;
  /** Ids of the edits. */
  ids: string[];
  before: Totals;
  after: Totals;
  look: Look;
}

/** The view under another model. */
export interface Weighed {
  /** Tokens of the next request by the provider's count, with its bound. */
  current: number;
  /** Maximum tokens of the request by the provider's count, and the same in ours. */
  request: number;
  budget: number;
}
