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
  | "unchanged" // it fits its budget already
  | "nothing_to_compact" // too little to cover, and it fits
  | "model_failed"
  | "timeout"
  | "cancelled"
  | "empty_summary"
  | "no_summary_tag"
  | "tool_call_instead"
  | "inflated"
  | "no_gain"
  | "quality_failed" // it fell short, and `strict` wants none that does
  | "skipped"; // a hook put it off

/** One recorded change of what the model gets to see. The history itself is never rewritten. */
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
  /** Ids of the messages it hides or changes. */
  targets: string[];
  rule: string;
  author: "rule" | "model";
  tokensBefore: number;
  tokensAfter: number;
  /** The summary message of a `replace_range`. */
  message?: NeutralMessage;
  /** The model's answer to it, behind it, in profiles that have one. */
  reply?: NeutralMessage;
  /** The thought that a summary inside a turn leaves behind: part `part` of `from` comes first in `to`. */
  thinking?: { from: string; part: number; to: string };
  /** Id of the message in front of which the summary stands. */
  before?: string;
  /** The message that makes the targets of a `supersede` unnecessary. */
  newer?: string;
  /**
   * What parts become, by message and part: a text, the JSON text of a call's arguments, the note in the place of a
   * picture (`item`: which of the things in a result). An empty text for reasoning, which goes.
   */
  texts?: { message: string; part: number; item?: number; text: string }[];
}

export interface CompactReport extends CutReport {
  status: CompactStatus;
  /** The ladder's steps in order, with what came of each. */
  steps: {
    step: string;
    outcome: "applied" | "no_gain" | "skipped" | "failed";
    tokensBefore: number;
    tokensAfter: number;
    why: string;
  }[];
  /** The text that stands for the covered messages. */
  summary?: string;
  /** What the model calls it, where the profile's sections have a title. */
  title?: string;
  /** Ids of messages that the summary stands for. */
  covered: string[];
  /** It fits, and is still so large that the next compaction is not far. */
  lowHeadroom?: boolean;
  /**
   * Where a summary was to get, in tokens of the whole request, and what was in the way: the result has at most
   * `target`, or at most `floor` where that is more. `mustKeep` is the floor without the record: frame, tools, newest
   * request and round, open calls, what is kept. Absent without a summary, for a chosen range, and for profiles whose
   * summaries have no lists.
   */
  aim?: { target: number; reached: boolean; floor: number; mustKeep: number };
  /** Ids of messages that a range (`options.cover`) grew to contain. */
  grown?: string[];
  /** What became of the collected facts, by block of the record. Absent without a summary. */
  ledger?: { block: LedgerBlock; lines: number; shortened: number; leftOut: number }[];
  /** What of the history the result still holds. Absent without a summary. */
  quality?: Quality;
  /** Present when a model was asked. */
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
  /** Files that were to be put back. */
  files?: { path: string; outcome: "whole" | "folded" | "path" | "failed"; tokens: number; why?: string }[];
  /** What the host added. */
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

/** What of a history a view still holds, measured by rule. Counts are of entries, sizes are tokens. */
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
  /** Paths, addresses and long numbers of the model's summary that the history does not have. */
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
   * The provider's cache: tokens that the result begins with as the request before it did; tokens behind them; tokens
   * that later requests have less; what it costs once that those are written and not read, and what every later request
   * saves, in the unit of `options.prices`; and after how many requests nothing is lost (absent: after none).
   */
  cache?: { shared: number; rewritten: number; saved: number; once: number; perRequest: number; breakEven?: number };
  /**
   * Facts that came from the record of an earlier compaction; tokens of that record's summary and of its lists, then
   * and now.
   */
  chain?: {
    facts: number;
    kept: number;
    summaryBefore: number;
    summaryAfter: number;
    ledgerBefore: number;
    ledgerAfter: number;
  };
  /** What falls short: constraints, open todos and modified files all there, nothing invented. */
  misses: ("constraints" | "todos" | "modifiedFiles" | "inventions")[];
}

/** What {@link quality} is told. */
export interface QualityOptions extends CountOptions {
  /** What the host adds to the rules by which facts are collected. */
  ledger?: LedgerRules;
  /** The text in the view that a model wrote: it is looked through for inventions. */
  summary?: string;
  /** What really came behind the view, in the same format: measures what of the rest was needed. */
  continuation?: unknown;
}

/** What {@link quality} measures. */
export interface ViewQuality extends Quality {
  /**
   * With `continuation`: facts of what is not in the view that were used again, and those of them that the view holds.
   */
  needed?: { used: number; held: number };
}

/** What {@link summarize} is told. */
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
  /** For whoever goes on with the work elsewhere: another agent, another session, a person. */
  purpose: "handoff";
  /** The model that writes the record. */
  llm: Llm;
  /** Input tokens that the model takes. Default: whatever the conversation has. */
  maxLlmTokens?: number;
  /** What to do when the model fails: `leave` (default) gives no summary, `offline` makes one by rules. */
  onFailure?: "leave" | "offline";
}

/** What came of {@link summarize}. `summary` and `record` are absent unless `status` is `applied`. */
export interface SummarizeResult {
  status: CompactStatus;
  /** The model's text. */
  summary?: string;
  /**
   * The same in a message's worth of text, with what is kept by rule behind it: the user's words, constraints, files,
   * errors, commands.
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
