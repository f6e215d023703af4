/** Reports of compaction. Written by `npm run types`: do not edit. */

import type { CostModelName, EncodingName, Origin, Totals } from "./count.ts";
import type { Becomes, NeutralMessage } from "./messages.ts";
import type { MessageFate, Removal } from "./prune.ts";

/** How a compaction ended. */
export type CompactStatus =
  | "applied"
  /** The conversation already fits its budget. */
  | "unchanged"
  /** There is too little to cover, and the conversation fits. */
  | "nothing_to_compact"
  | "model_failed"
  | "timeout"
  | "cancelled"
  | "empty_summary"
  | "no_summary_tag"
  | "tool_call_instead"
  /** The summary was longer than the messages that it replaces. */
  | "inflated"
  /** The summary freed less than the minimum of a compaction. */
  | "no_gain"
  /** The result failed the quality gate, and the host refuses such results. */
  | "quality_failed"
  /** A hook postponed the compaction. */
  | "skipped";

/** What started a compaction. */
export type Trigger =
  | "threshold"
  /** The request does not fit. */
  | "overflow"
  | "provider_error"
  | "manual"
  | "range"
  | "model_switch"
  | "memory_pressure"
  | "agent_request";

/** What an edit does. */
export type EditKind =
  /** Replaces groups by one summary message and the carried messages. */
  | "replace_range"
  /** Replaces a tool result by a placeholder. */
  | "clear_result"
  /** Replaces a tool result that a newer message repeats or outdates by a placeholder. The edit names that message. */
  | "supersede"
  /** Shortens long strings in the arguments of an old call. The JSON stays valid and keeps its keys. */
  | "clear_arguments"
  /** Shortens a text or result in the middle. */
  | "truncate"
  /** Stores a text or result elsewhere and keeps a preview. */
  | "offload"
  /** Replaces pictures and documents by notes. */
  | "drop_media"
  /** Removes reasoning. */
  | "drop_reasoning"
  /** Removes groups. */
  | "drop";

/** One message or part that an edit hides or changes. */
export interface EditTarget {
  message: string;
  /**
   * Index among the parts of the message: of the host's message in a log, of the shown message in a compaction's edit.
   * Absent if the whole message is hidden.
   */
  part?: number;
  /** The new content of the part; absent if the whole message is hidden. */
  to?: Becomes;
}

/**
 * One recorded change of the view; the history itself is never rewritten. A host keeps the edits of a compaction until
 * it applies them.
 */
export interface Edit {
  /** `e<n>`, counting from 0 within one log. */
  id: string;
  kind: EditKind;
  /** The messages that the edit hides, or the parts that it changes, in order. */
  targets: EditTarget[];
  /** The stable name of a rule. */
  rule: string;
  /**
   * Who decided the edit.
   * - `user`: A user changed the text before it was applied.
   */
  author: "rule" | "model" | "user";
  /** Tokens of the targets before the edit. */
  tokensBefore: number;
  /** Tokens of what replaces the targets. */
  tokensAfter: number;
  /** The summary message of a `replace_range`. */
  message?: NeutralMessage;
  /** The model's answer to the summary, which follows it. */
  reply?: NeutralMessage;
  /** The reasoning that a `replace_range` inside a turn keeps. */
  thinking?: {
    /** Id of the message that the reasoning belongs to. */
    from: string;
    /** Index among the parts of that message when the edit was made. */
    part: number;
    /** Id of the message that begins with the reasoning in the view. */
    to: string;
  };
  /** Id of the message before which the summary is inserted. */
  before?: string;
  /** For `supersede`: the message that makes the targets unnecessary. */
  newer?: string;
}

/** The form in which a model gets the history. */
export type LlmShape =
  /** The running request with one more message: a warm cache pays for most of it. */
  | "fork"
  /** The history as messages, between instructions. */
  | "full"
  /** The history as text in one message. */
  | "simple";

/** What a request does not show of the covered messages, apart from pictures and thoughts. */
export interface Reduced {
  /** Tokens that are not shown. */
  tokens: number;
  /** Number of shortened results, and of results that are only named. */
  shortened: number;
  leftOut: number;
  /** Number of calls whose arguments are shortened. */
  arguments: number;
  /** Number of messages that are not even named. */
  messages: number;
}

/** The report of a compaction. */
export interface CompactReport {
  status: CompactStatus;
  before: Totals;
  after: Totals;
  origin: Origin;
  /** Everything that was removed or changed, in the order of the decisions. */
  removed: Removal[];
  /** One row for every message of the input and every inserted one, in order. */
  messages: MessageFate[];
  /** The ladder's steps in order, with their outcomes. */
  steps: {
    step: string;
    /** The outcome of one step of the ladder. */
    outcome: "applied" | "no_gain" | "skipped" | "failed";
    /** Tokens of the request before and after the step. */
    tokensBefore: number;
    tokensAfter: number;
    /** One sentence for people. */
    why: string;
  }[];
  /** The text that replaces the covered messages. */
  summary?: string;
  /** The model's title of it, if the profile's sections include one. */
  title?: string;
  /** Ids of the messages that the summary replaces. */
  covered: string[];
  /** Ids of messages that were added to a chosen range (`options.cover`). */
  grown?: string[];
  /** True if the result fits but exceeds the goal of the cheap steps, so that the next compaction is near. */
  lowHeadroom?: boolean;
  /**
   * The target of a summary, in tokens of the whole request, and what prevented it: the result has at most `target`, or
   * at most `floor` if that is more. Absent without a summary, for a chosen range, and for profiles whose summaries
   * have no lists.
   */
  aim?: {
    /** The frame, and the profile's share of what messages may have. */
    target: number;
    reached: boolean;
    /** The tokens that stay whatever the target: `mustKeep`, and the record with the lines that it should have. */
    floor: number;
    /** Frame, tools, newest request, newest round, calls without a result and everything after them, kept messages. */
    mustKeep: number;
  };
  /** The collected facts by block of the record. Absent without a summary. */
  ledger?: {
    block: LedgerBlock;
    /** Number of entries with their own line. */
    lines: number;
    /** Number of lines that are shorter than their entry. */
    shortened: number;
    /** Number of entries without a line, which only recall returns. */
    leftOut: number;
  }[];
  /** What the result retains of the history. Absent without a summary. */
  quality?: Quality;
  /** Present if a model was asked. */
  model?: {
    calls: number;
    /** Tokens that were sent to it, by our count. */
    promptTokens: number;
    /** One entry for each request. */
    asked: {
      /**
       * The purpose of a request to a model.
       * - `summary`: A record of the history.
       * - `verify`: A better record than the first.
       * - `handoff`: A record for an agent that continues the work elsewhere.
       */
      purpose: "summary" | "verify" | "handoff";
      shape: LlmShape;
      promptTokens: number;
      /** How much of the covered messages it does not show. */
      reduced?: Reduced;
      /** Why its answer was unusable. */
      error?: string;
    }[];
    /** What the summary was written without. Absent if the model was shown all of the covered messages. */
    reduced?: Reduced;
    /** What is still wrong with its summary, as far as rules can tell. */
    gaps?: string[];
    /**
     * How the model failed, if no summary of its own was used, and why. The report's `status` says how the compaction
     * ended all the same.
     */
    failure?: CompactStatus;
    error?: string;
  };
  /** The outcomes of the host's hooks. */
  hooks?: {
    name: "preCompact" | "postCompact";
    /**
     * How a hook ended. A hook that fails or times out does not stop a compaction.
     * - `skipped`: The hook put the compaction off.
     * - `overruled`: The hook asked to put it off, but the compaction could not wait.
     */
    outcome: "done" | "skipped" | "overruled" | "failed" | "timeout";
    why?: string;
  }[];
  /** Files to restore, with their outcomes. */
  files?: {
    path: string;
    /**
     * How a file was restored.
     * - `folded`: As its structure only.
     * - `path`: As its path only.
     * - `failed`: It could not be read.
     */
    outcome: "whole" | "folded" | "path" | "failed";
    /** Its tokens in the record. */
    tokens: number;
    why?: string;
  }[];
  /** The blocks of the host. */
  blocks?: {
    kind: string;
    title?: string;
    /** Its tokens in the record; 0 if there was no room. */
    tokens: number;
    shortened: boolean;
  }[];
  budget: number;
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
}

/** The blocks, in the order of a record. */
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
  /** The number of surviving entries of one kind. */
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
    /** Number of entries in the history. */
    all: number;
    /** Entries whose literal is in the view; for paths, the last three components. */
    literal: number;
    /** Entries that are in the view as a whole or have a line of their own, possibly shortened. */
    ownLine: number;
    /** Entries that only a recall returns. */
    recall: number;
    /** Share of entries with their own line, the newest weighing twice the oldest; 1 if there are none. */
    weighted: number;
  }[];
  /** The number of surviving user messages. */
  users: {
    messages: number;
    /** Messages that are in the view verbatim. */
    verbatim: number;
    /** Messages that are there verbatim or have an entry of their own. */
    withEntry: number;
    tokens: number;
    /** Tokens of the messages that are there verbatim. */
    tokensVerbatim: number;
  };
  /** Paths, addresses and long numbers of the summary that occur nowhere in the history. */
  inventions: string[];
  /** Sizes, in tokens. */
  size?: {
    before: number;
    after: number;
    freed: number;
    /** Unused budget. */
    headroom: number;
    /** Tokens that the summary message replaces, and its own tokens. */
    covered: number;
    summary: number;
    /** Tokens sent to the summarising model. */
    prompt: number;
  };
  /** Where the covered range ends. */
  boundary?: {
    /** Tokens of the tail, and its target. */
    tail: number;
    target: number;
    /** True if the last covered message edits a file and the next one is a command. */
    betweenEditAndCheck: boolean;
  };
  /**
   * How much of the result the provider's cache holds, and the cost of the rest. Prices are for one token, in the
   * host's unit.
   */
  cache?: {
    /** Tokens that the result shares with the previous request, from the beginning. */
    shared: number;
    /** Tokens after them: from the first changed message on. */
    rewritten: number;
    /** Tokens that every later request saves. */
    saved: number;
    /** The one-time cost of writing the changed tokens to the cache instead of reading them. */
    once: number;
    /** The saving of every later request. */
    perRequest: number;
    /** Number of requests after which the compaction pays; absent if it never does. */
    breakEven?: number;
  };
  /** Facts of earlier compactions that were in the history as a record, and the record's growth in tokens. */
  chain?: {
    facts: number;
    kept: number;
    summaryBefore: number;
    summaryAfter: number;
    /** Tokens after the summary in the earlier record. */
    ledgerBefore: number;
    ledgerAfter: number;
  };
  /** The checks that failed: all constraints, open todos and modified files are retained, and nothing is invented. */
  misses: ("constraints" | "todos" | "modifiedFiles" | "inventions")[];
}

/** What a view retains of a history, and what of it was needed. */
export interface ViewQuality extends Quality {
  /**
   * With `continuation`: number of facts outside the view that were used again, and how many of those the view holds.
   */
  needed?: {
    /** Paths, commands, error lines and changed names of the covered messages that occur in the continuation. */
    used: number;
    /** Those of them that also occur in the view. */
    held: number;
  };
}
