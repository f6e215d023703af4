/** Reports of compaction. */

import type { CompactOptions } from "./compact.ts";
import type { CountOptions, Totals } from "./count.ts";
import type { Llm, LlmRequest, LlmShape, Reduced } from "./llm.ts";
import type { NeutralMessage } from "./messages.ts";
import type { LedgerRules } from "./profile.ts";
import type { CutReport } from "./prune.ts";

export type CompactProgress =
  | { type: "model"; id: number; promptTokens: number }
  | { type: "answered"; id: number; characters: number }
  | { type: "hook"; name: "preCompact" | "postCompact"; outcome: "done" | "failed" | "timeout"; why?: string };

export type CompactStatus =
  | "applied" // the conversation was compacted
  | "unchanged" // the conversation fits its budget
  | "nothing_to_compact" // there is too little to cover, and it fits
  | "model_failed"
  | "timeout"
  | "cancelled"
  | "empty_summary"
  | "no_summary_tag"
  | "tool_call_instead"
  | "inflated"
  | "no_gain"
  | "quality_failed" // the result fell short, and `strict` is set
  | "skipped"; // a hook postponed it

/** One recorded change of the view. The history itself is never rewritten. */
export interface Edit {
  id: string;
  kind:
    | "replace_range"
    | "drop"
    | "truncate"
    | "clear_result"
    | "supersede"
    | "clear_arguments"
    | "drop_media"
    | "drop_reasoning";
  /** Ids of the messages that it hides or changes. */
  targets: string[];
  rule: string;
  author: "rule" | "model";
  tokensBefore: number;
  tokensAfter: number;
  /** The summary message of a `replace_range`. */
  message?: NeutralMessage;
  /** The model's answer after it, in profiles that have one. */
  reply?: NeutralMessage;
  /** Reasoning that a summary inside a turn leaves behind: part `part` of `from` becomes the first part of `to`. */
  thinking?: { from: string; part: number; to: string };
  /** Id of the message before which the summary is placed. */
  before?: string;
  /** The message that makes the targets of a `supersede` unnecessary. */
  newer?: string;
  /**
   * The new texts of parts, by message and part: a text, the JSON text of a call's arguments, the note that replaces a
   * picture (`item`: its index in a result). An empty text removes reasoning.
   */
  texts?: { message: string; part: number; item?: number; text: string }[];
}

export interface CompactReport extends CutReport {
  status: CompactStatus;
  /** The ladder's steps in order, with their outcomes. */
  steps: {
    step: string;
    outcome: "applied" | "no_gain" | "skipped" | "failed";
    tokensBefore: number;
    tokensAfter: number;
    why: string;
  }[];
  /** The text that replaces the covered messages. */
  summary?: string;
  /** The model's title of it, if the profile's sections include one. */
  title?: string;
  /** Ids of the messages that the summary replaces. */
  covered: string[];
  /** True if the result fits but is so large that the next compaction will come soon. */
  lowHeadroom?: boolean;
  /**
   * The target of a summary, in tokens of the whole request, and what prevented it: the result has at most `target`, or
   * at most `floor` if that is more. `mustKeep` is the floor without the record: frame, tools, newest request and
   * round, open calls, kept messages. Absent without a summary, for a chosen range, and for profiles whose summaries
   * have no lists.
   */
  aim?: { target: number; reached: boolean; floor: number; mustKeep: number };
  /** Ids of messages that were added to a range (`options.cover`). */
  grown?: string[];
  /** The collected facts by block of the record. Absent without a summary. */
  ledger?: { block: LedgerBlock; lines: number; shortened: number; leftOut: number }[];
  /** What the result retains of the history. Absent without a summary. */
  quality?: Quality;
  /** Present if a model was asked. */
  model?: {
    calls: number;
    promptTokens: number;
    /** Request by request. */
    asked: {
      purpose: LlmRequest["purpose"];
      shape: LlmShape;
      promptTokens: number;
      reduced?: Reduced;
      error?: string;
    }[];
    /** What the summary was written without. Absent if the model was shown all of the covered messages. */
    reduced?: Reduced;
    /** What is still wrong with its summary, as far as rules can tell. */
    gaps?: string[];
    usage: Record<string, unknown>[];
    /** What providers called the requests, and what services in front of them did. */
    requestIds: string[];
    serviceRequestIds?: string[];
    /** HTTP status of the newest request that failed, where its error says so. */
    statusCode?: number;
    /**
     * How the model failed, where no summary of its own was used, and why. `status` says what came of the compaction
     * all the same.
     */
    failure?: CompactStatus;
    error?: string;
  };
  hooks?: {
    name: "preCompact" | "postCompact";
    outcome: "done" | "skipped" | "overruled" | "failed" | "timeout";
    why?: string;
  }[];
  /** Files to restore. */
  files?: { path: string; outcome: "whole" | "folded" | "path" | "failed"; tokens: number; why?: string }[];
  /** The host's blocks. */
  blocks?: { kind: string; title?: string; tokens: number; shortened: boolean }[];
}

export type LedgerBlock =
  | "users"
  | "constraints"
  | "todo"
  | "changed"
  | "actions"
  | "errors"
  | "commands"
  | "decisions"
  | "facts"
  | "read";

/** What a view retains of a history, measured by rules. Counts are of entries, sizes are tokens. */
export interface Quality {
  retention: {
    kind:
      | "modifiedFiles"
      | "readFiles"
      | "commands"
      | "errors"
      | "constraints"
      | "todos"
      | "decisions"
      | "symbols"
      | "requests";
    all: number;
    /** Entries that are there word for word; of paths the last three components. */
    literal: number;
    /** Entries that are there whole or have a line of their own. */
    ownLine: number;
    /** Entries that can be had by recall only. */
    recall: number;
    /** Share of own lines, the newest weighing twice the oldest. */
    weighted: number;
  }[];
  users: { messages: number; verbatim: number; withEntry: number; tokens: number; tokensVerbatim: number };
  /** Paths, addresses and long numbers in the model's summary that do not occur in the history. */
  inventions: string[];
  size?: {
    before: number;
    after: number;
    freed: number;
    headroom: number;
    covered: number;
    summary: number;
    prompt: number;
  };
  boundary?: { tail: number; target: number; betweenEditAndCheck: boolean };
  /**
   * The provider's cache: tokens at the beginning that the result shares with the previous request; tokens after them;
   * tokens that later requests save; the one-time cost of writing instead of reading them and the saving of every later
   * request, in the unit of `options.prices`; and the number of requests after which the change costs nothing (absent:
   * never).
   */
  cache?: { shared: number; rewritten: number; saved: number; once: number; perRequest: number; breakEven?: number };
  /** Facts from the record of an earlier compaction; tokens of that record's summary and of its lists, then and now. */
  chain?: {
    facts: number;
    kept: number;
    summaryBefore: number;
    summaryAfter: number;
    ledgerBefore: number;
    ledgerAfter: number;
  };
  /**
   * The checks that failed. They demand that all constraints, open todos and modified files are retained, and that
   * nothing is invented.
   */
  misses: ("constraints" | "todos" | "modifiedFiles" | "inventions")[];
}

/** Options of {@link quality}. */
export interface QualityOptions extends CountOptions {
  /** The host's additions to the rules that collect facts. */
  ledger?: LedgerRules;
  /** The text in the view that a model wrote: it is searched for inventions. */
  summary?: string;
  /** What really followed the view, in the same format: measures which of the missing facts were needed. */
  continuation?: unknown;
}

/** The result of {@link quality}. */
export interface ViewQuality extends Quality {
  /**
   * With `continuation`: number of facts outside the view that were used again, and of those the number that the view
   * holds.
   */
  needed?: { used: number; held: number };
}

/** Options of {@link summarize}. */
export interface SummarizeOptions
  extends CountOptions,
    Pick<
      CompactOptions,
      | "focus"
      | "signal"
      | "timeoutMs"
      | "onProgress"
      | "ledger"
      | "recordProfile"
      | "verify"
      | "llmModel"
      | "modelRules"
      | "instructions"
      | "jobId"
      | "profile"
    > {
  /** For those who continue the work elsewhere: another agent, another session, a person. */
  purpose: "handoff";
  /** The model that writes the record. */
  llm: Llm;
  /** Max input tokens of the model. Default: as many as the conversation has. */
  maxLlmTokens?: number;
  /** What happens if the model fails: `leave` (default) returns no summary, `offline` makes one by rules. */
  onFailure?: "leave" | "offline";
}

/** The result of {@link summarize}. `summary` and `record` are absent unless `status` is `applied`. */
export interface SummarizeResult {
  status: CompactStatus;
  /** The model's text. */
  summary?: string;
  /**
   * The same as one message's text, followed by what rules keep: the user's words, constraints, files, errors,
   * commands.
   */
  record?: string;
  title?: string;
  /** Tokens of the conversation. */
  before: Totals;
  model?: NonNullable<CompactReport["model"]>;
  /** Why there is no summary. */
  error?: string;
}

export interface CompactResult<T> {
  status: CompactStatus;
  messages: T;
  edits: Edit[];
  report: CompactReport;
}
