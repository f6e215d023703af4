/** What crosses the boundary of a conversation's event log; `core/src/history/log` holds the Rust twins. */

import type { SearchLoader } from "./loader.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactReport, CompactStatus, Edit } from "../types/compact-report.ts";
import type { CountOptions, Origin, Totals } from "../types/count.ts";
import type { Format, NeutralMessage, PlanItem, Role } from "../types/messages.ts";
import type { Removal } from "../types/prune.ts";

/** What an edit does. */
export type LogEditKind =
  /** The groups from..to become one summary message and the messages that are carried. */
  | "replace_range"
  /** A tool result becomes a placeholder. */
  | "clear_result"
  /** The same for a read that is repeated or outdated; `newer` names the message that makes it so. */
  | "supersede"
  /** Long texts in the arguments of an old call are shortened; the JSON stays valid and keeps its keys. */
  | "clear_arguments"
  /** A text or result is cut in the middle. */
  | "truncate"
  /** A text or result is stored elsewhere; a preview stays. */
  | "offload"
  /** Pictures and documents become a note. */
  | "drop_media"
  /** Reasoning is not sent any more. */
  | "drop_reasoning"
  /** Groups are not sent any more. */
  | "drop";

/** What a part becomes. */
export type Becomes =
  /** Another text, or one text as the content of a tool result. */
  | { type: "text"; text: string }
  /** Other arguments of a call, as JSON text. */
  | { type: "arguments"; arguments: string }
  /** For each item of a tool result's content: the text in its place, or `null` where it stays. */
  | { type: "content"; items: (string | null)[] }
  /** A text in the place of a picture or document. */
  | { type: "note"; text: string }
  /** Nothing. */
  | { type: "gone" };

/** One change of what the model gets to see. */
export interface LogEdit {
  kind: LogEditKind;
  /** Stable name of the rule behind it. */
  rule: string;
  /**
   * What is changed or dropped, by message and part. `drop` names messages only, and `replace_range` has a range
   * instead.
   */
  targets?: { message: string; part?: number; to?: Becomes }[];
  /**
   * First and last message of what the summary stands for. Both grow outward: to whole rounds, and around older ranges
   * that they meet. System messages, the newest request, what is pinned, and `carried` stay.
   */
  range?: {
    from: string;
    to: string;
    summary: string | Omit<NeutralMessage, "id"> | NeutralMessage;
    carried?: string[];
    /** A thought of the range that comes first in a message that calls and stays: part `part` of `from` in `to`. */
    thinking?: { from: string; part: number; to: string };
  };
  /** For `supersede`. */
  newer?: string;
  trigger?: string;
  author?: "rule" | "model" | "user";
  planId?: string;
  /**
   * What it was made from ({@link ConversationLog.fingerprint}); if that has changed the edit is refused as
   * `stale_plan`.
   */
  consumed?: { ids: string[]; hash: string };
  /** Where it comes from, whatever the host wants to keep of it. Must have JSON. */
  data?: unknown;
}

/** An edit in a log. */
export interface LogEditRow {
  /** `e<position>`. */
  id: string;
  kind: LogEditKind;
  rule: string;
  trigger?: string;
  author: "rule" | "model" | "user";
  /** Tokens of the targets as they stood, and of what stands for them. */
  tokensBefore: number;
  tokensAfter: number;
  /** Ids of the messages it is about; first and last of a range. */
  targets: string[];
  planId?: string;
  /** Id of the entry that took it back. */
  revokedBy?: string;
}

/** A stored summary. */
export interface LogCheckpoint {
  /** From 1; never used twice. */
  number: number;
  title: string;
  /** Where its file is, if it has one. */
  path?: string;
  /** Milliseconds, by the host's clock. */
  time: number;
  /** Ids of the edits that it was stored for. */
  edits: string[];
  /** Number of messages that its summary replaced, those of older summaries included. */
  messages: number;
  /** Tokens of the summary. */
  tokens: number;
  /** True while a rewind has left the messages behind that it looks back on. */
  orphaned: boolean;
}

/** What must survive all edits: a message, a part of it, a range of a part's text, or a fact in words. */
export interface LogPin {
  message?: string;
  part?: number;
  /** Start and end in the part's text, in UTF-16 code units; grows to whole characters. */
  range?: [start: number, end: number];
  fact?: string;
  reason?: string;
}

/** A pin in force. */
export interface LogPinRow extends LogPin {
  id: string;
  /** The text that stays, where it is a part, a range of it, or a fact. */
  text?: string;
  tokens: number;
  /** True while a rewind has left its message behind. */
  rewound: boolean;
}

/** What to send. */
export interface LogView<T> {
  /** Whatever no edit has changed is the host's own object. */
  messages: T[];
  plan: PlanItem[];
  /** The conversation without any edits. */
  before: Totals;
  after: Totals;
  /** `after` by what it is spent on. */
  split: LogSplit;
  origin: Origin;
  /** What was repaired for this view only, so that no provider refuses it. */
  repaired: Removal[];
  /** The position in the log that it was made at. */
  position: number;
}

/** Where the edits of a compaction come from. */
export interface AdoptOptions {
  /**
   * {@link ConversationLog.length} when the compaction looked at the view. What its edits are about must not have been
   * edited, pinned, rewound or restored since; messages may have been added.
   */
  since?: number;
  /** What started the compaction, kept with its first edit. Default: not recorded. */
  trigger?: string;
  /** The id of the plan that was applied, kept with its first edit. Default: not recorded. */
  planId?: string;
  /** Whatever the host wants to keep of it, with the first edit. Must have JSON. */
  data?: unknown;
}

/** Options of {@link compact}; how things are counted is the log's. */
export type LogCompactOptions = Omit<CompactOptions, keyof CountOptions> & Omit<AdoptOptions, "since" | "data">;

export interface LogCompactResult {
  status: CompactStatus;
  /** Ids of the edits in the log, in order: undo them from the last to the first. */
  ids: string[];
  /** The edits as the compaction made them. */
  edits: Edit[];
  report: CompactReport;
}

/** What an edit would do. */
export interface LogPreview<T> {
  /** Ids of messages that the range grew to contain. */
  grown: string[];
  tokensBefore: number;
  tokensAfter: number;
  view: LogView<T>;
  /** Tokens of the view as it is now. */
  total: number;
}

/** An original and its whereabouts. */
export interface Recalled<T> {
  id: string;
  role: Role;
  /** The host's own object. */
  message: T;
  tokens: number;
  place: "shown" | "changed" | "covered" | "dropped" | "rewound";
  /** Ids of the edits or the rewind that changed or hid it. */
  by: string[];
  /** Where words of a query were found; `offset` in UTF-16 code units of the part's text. */
  hits: { part: number; offset: number; word: string }[];
}

/** Tokens of a view by what they are spent on. */
export interface LogSplit {
  total: number;
  frame: number;
  user: number;
  assistant: number;
  tool: number;
  /** Summaries and stand-ins. */
  inserted: number;
  tools: number;
}
export interface LogDifference {
  id: string;
  role: Role;
  /** Tokens in the first view and in the second; 0 where it is not in it. */
  before: number;
  after: number;
}
export interface LogComparison {
  gained: LogDifference[];
  lost: LogDifference[];
  changed: LogDifference[];
  before: LogSplit;
  after: LogSplit;
}

/** What was wrong with a line of a log. */
export interface LogProblem {
  /** Counting from 1. */
  line: number;
  kind: "cut" | "unreadable" | "changed" | "duplicate" | "missing" | "refused";
  message: string;
}
/** How reading a log went. */
export interface LogReport {
  /** Entries that the log has now, salvaged ones included. */
  entries: number;
  /** Empty if all is well. */
  problems: LogProblem[];
  /** Lines from the first that could not be trusted on; they are not part of the log, so keep the text. */
  left: number;
  /** Lines that were added behind those of the text: what `salvage` found. */
  salvaged: string[];
}

export interface LogOptions extends Omit<CountOptions, "format" | "imageSize"> {
  /** The format of the messages. */
  format: Format;
  /** Milliseconds, for the time of entries. Nothing depends on it. Default `Date.now`. */
  now?: () => number;
  /**
   * Loads the engine that finds messages: `() => import("espalier/search")`. Default: the package's own in Node;
   * elsewhere there is none, and `search` throws `search_not_loaded`.
   */
  search?: SearchLoader;
}
export interface LogImportOptions<T> extends Omit<LogOptions, "format"> {
  /** The format of `messages`. Default: detected if they are a list, else `espalier`. */
  format?: Format;
  /**
   * The host's own messages, all that the log has, in order. Without them the log is one of neutral messages
   * (`format: "espalier"`), made from the lines. A function is given the neutral messages of the log and makes the
   * host's.
   */
  messages?: readonly T[] | ((known: readonly NeutralMessage[]) => readonly T[]);
  /**
   * Whether `messages` must be the log's to the letter, or in number, role and number of parts. Default: to the letter,
   * unless they are made by a function.
   */
  exact?: boolean;
  /** Add messages from behind a line that cannot be trusted again at the end. Default false. */
  salvage?: boolean;
}
