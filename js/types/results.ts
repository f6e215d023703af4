/** Options and reports of smaller tool results. */

import type { LogEdit } from "../log/types.ts";
import type { StoreResult } from "../results/storing.ts";
import type { OffloadEvent } from "../results/truncate.ts";
import type { CountOptions } from "./count.ts";
import type { ResultsReport } from "./generated/prune.ts";

export type { GoneResult, ResultsReport } from "./generated/prune.ts";

/** The common options of {@link budgetResults} and {@link clearResults}. */
export interface ResultsOptions extends CountOptions {
  /** Ids or indices of messages whose results stay whole. */
  keep?: readonly (string | number)[];
  /**
   * Tools whose results stay whole. Default: none for budgets and for `anthropic`; for clearing those of todo lists,
   * plans, questions, memory and skills; for masking gemini-cli's own list.
   */
  exempt?: readonly string[];
  /**
   * Stores a whole result before it is cut or cleared; the returned handle replaces the result. Default: the handle is
   * the id of the message, whose original you have. If storing fails, the handle is the id as well; with `gemini-cli`
   * the result then stays unchanged.
   */
  store?: StoreResult;
  /** Milliseconds after which a silent store has failed; it is not called again. Default 5,000. */
  timeoutMs?: number;
  /** Called when a result was stored, or could not be. Default: none. */
  onEvent?: (event: OffloadEvent) => void;
  /** Aborting it ends the call, which then throws the signal's reason. Default: none. */
  signal?: AbortSignal;
  /** As {@link PruneOptions.maxImageBytes}; no limit by default with `gemini-cli`. */
  maxImageBytes?: number;
}

export interface BudgetResultsOptions extends ResultsOptions {
  /** Max tokens of all results together. Required, except for `gemini-cli`, which has 50,000. */
  budget?: number;
  /**
   * `water-level` (default): one level for all results; the newest round weighs 4, the one before 2, older ones 1, and
   * small results stay whole. `newest-first` (gemini-cli's): from the newest on, each result that exceeds the budget is
   * cut to `maxResultTokens`, and older small ones stay whole. The cut results add up, so all together may exceed the
   * budget.
   */
  rule?: "water-level" | "newest-first";
  /** `report.level` of the last call. The level only falls, so that cut results stay as they are. */
  level?: number;
  /**
   * Max tokens of a result that `newest-first` cuts. Default: a quarter of the budget; with `gemini-cli` 40,000 UTF-16
   * code units.
   */
  maxResultTokens?: number;
  /** `gemini-cli` estimates instead of counting, and uses its own words. Default `espalier`. */
  profile?: "espalier" | "gemini-cli";
}

export interface ClearResultsOptions extends ResultsOptions {
  /**
   * Whose defaults `minRequestTokens` to `minFreedTokens` have. Default `espalier`. `gemini-cli` also masks: it
   * estimates instead of counting, leaves the latest turn out, and its notes, which are not taken off what is freed,
   * are previews.
   */
  profile?: "espalier" | "anthropic" | "gemini-cli";
  /**
   * Max tokens of the request. With it, the defaults of `minKeptTokens` and `minFreedTokens` are shares of the tokens
   * for messages.
   */
  budget?: number;
  /** Clears nothing in a request of at most this many tokens. Default 0; of `anthropic` 100,000. */
  minRequestTokens?: number;
  /** Number of newest results that stay. Default 3; of `gemini-cli` 0. */
  newest?: number;
  /** Number of newest rounds whose results stay. Default 2; of `anthropic` and `gemini-cli` 0. */
  rounds?: number;
  /**
   * Tokens of results that stay, from the newest on. Default: 0.2 of the tokens for messages, at most 40,000; of
   * `anthropic` 0, of `gemini-cli` 50,000.
   */
  minKeptTokens?: number;
  /**
   * Min tokens to free. All results that can be cleared are cleared together, and only if that frees this much, because
   * each clearing costs a cached prefix. Default: 0.1 of the tokens for messages, at most 20,000; of `anthropic` 0, of
   * `gemini-cli` 30,000.
   */
  minFreedTokens?: number;
  /** With `gemini-cli`: leaves the latest turn unchanged. Default true. */
  protectLatest?: boolean;
}

export interface ResultsResult<T> {
  /** The same shape as the input (list or request object); unchanged messages are the caller's own objects. */
  messages: T;
  /** The change as edits for a `ConversationLog` of the same messages; empty if nothing changed. */
  edits: LogEdit[];
  report: ResultsReport;
  /** Why storing failed the first time: what `store` threw or rejected with, or an error about its answer. */
  storeError?: unknown;
}
