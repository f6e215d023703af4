/** Options and reports of smaller tool results. */

import type { LogEdit } from "../log/types.ts";
import type { StoreResult } from "../results/storing.ts";
import type { OffloadEvent } from "../results/truncate.ts";
import type { CountOptions } from "./count.ts";
import type { CutReport } from "./prune.ts";

/** What both ways to make room among the results of a conversation have in common. */
export interface ResultsOptions extends CountOptions {
  /** Ids or indices of messages whose results stay whole. */
  keep?: readonly (string | number)[];
  /**
   * Tools whose results stay whole. Default: none for budgets and for `anthropic`; for clearing todo lists, plans,
   * questions, memory and skills; gemini-cli's own list for its masking.
   */
  exempt?: readonly string[];
  /**
   * Stores a whole result before it goes; the handle it gives stands in the result's place. Without it the handle is
   * the id of the message, whose original is yours. Where storing fails the handle is the id as well; with `gemini-cli`
   * the result stays as it is then.
   */
  store?: StoreResult;
  /** Milliseconds after which a store that does not answer has failed, and is not asked again. Default 5,000. */
  timeoutMs?: number;
  /** Called when a result was stored, or could not be. Default: nobody listens. */
  onEvent?: (event: OffloadEvent) => void;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
  /** As {@link PruneOptions.maxImageBytes}; with `gemini-cli` no limit by default. */
  maxImageBytes?: number;
}

export interface BudgetResultsOptions extends ResultsOptions {
  /** Tokens that all results may have together. Required, but for `gemini-cli`, which has 50,000. */
  budget?: number;
  /**
   * `water-level` (default): one level over all, the newest round weighing 4, the one before 2, older ones 1; small
   * ones stay whole. `newest-first` (that of `gemini-cli`): from the newest on, whatever crosses the budget is cut to
   * `maxResultTokens`; older small ones stay whole. What is left of those that were cut adds up, so that all together may have more
   * than the budget.
   */
  rule?: "water-level" | "newest-first";
  /** `report.level` of the last call: it only falls, so that what was cut stays as it is. */
  level?: number;
  /**
   * What a result is cut to by `newest-first`. Default: a quarter of the budget; with `gemini-cli` 40,000, in UTF-16
   * code units.
   */
  maxResultTokens?: number;
  /** `gemini-cli` estimates instead of counting, and uses its own words. */
  profile?: "espalier" | "gemini-cli";
}

export interface ClearResultsOptions extends ResultsOptions {
  /**
   * | profile | minRequestTokens | newest | rounds | minKeptTokens | minFreedTokens |
   * |---|---|---|---|---|---|
   * | `espalier` (default) | 0 | 3 | 2 | 0.2 of what messages may have, at most 40,000 | 0.1 of it, at most 20,000 |
   * | `anthropic` | 100,000 | 3 | 0 | 0 | 0 |
   * | `gemini-cli` | 0 | 0 | 0 | 50,000 | 30,000, notes not taken off |
   *
   * `gemini-cli` masks: it estimates instead of counting, leaves the latest turn out, and its notes are previews.
   */
  profile?: "espalier" | "anthropic" | "gemini-cli";
  /** Tokens that the request may have: `minKeptTokens` and `minFreedTokens` are shares of what its messages may have then. */
  budget?: number;
  /** Clears nothing in a request that has no more tokens than this. */
  minRequestTokens?: number;
  /** So many of the newest results stay. */
  newest?: number;
  /** The results of so many of the newest rounds stay. */
  rounds?: number;
  /** Tokens of the newest results that stay in any case. */
  minKeptTokens?: number;
  /**
   * Clears everything that can be cleared together, and only if that frees at least this many tokens: each clearing
   * costs a cached prefix.
   */
  minFreedTokens?: number;
  /** With `gemini-cli`: leave the latest turn out. Default true. */
  protectLatest?: boolean;
}

/** A result that was cut or cleared. */
export interface GoneResult {
  message: string;
  /** Index among the parts of the message, as {@link NeutralMessage} has them. */
  part: number;
  /** Index in the result's content, where that is not one text. */
  item?: number;
  callId: string;
  tool?: string;
  /** Tokens of its text, as the profile counts them. */
  before: number;
  after: number;
  /** Where the whole is: what `store` said, else the id of the message. */
  recall: string;
}

export interface ResultsReport extends Omit<CutReport, "budget"> {
  /**
   * `small_gain`: what could be cleared would free too little. `under_cap`: all results together are over the budget,
   * and none of them is over the cap or may be shortened, so that nothing changes.
   */
  outcome: "changed" | "within_budget" | "under_cap" | "small_gain";
  /** All results together, as the profile counts them. */
  results: { count: number; before: number; after: number };
  gone: GoneResult[];
  /** The water level, if one was needed: pass it to the next call. */
  level?: number;
}

export interface ResultsResult<T> {
  /**
   * The same shape as what was passed in (array or request object); untouched messages are the caller's own objects.
   */
  messages: T;
  /** The change as an edit that a `ConversationLog` of the same messages takes; none if nothing changed. */
  edits: LogEdit[];
  report: ResultsReport;
}
