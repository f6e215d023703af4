/** What a conversation's log returns. Written by `npm run types`: do not edit. */

import type { EditKind } from "./compact.ts";
import type { Origin, Totals } from "./count.ts";
import type { NeutralMessage, PlanItem, Role } from "./messages.ts";
import type { Removal } from "./prune.ts";

/** Content that must survive all edits: a message, a part of it, a range of a part's text, or a fact in words. */
export interface LogPin {
  message?: string;
  part?: number;
  /** Start and end in the part's text, in UTF-16 code units; extends to whole characters. */
  range?: [number, number];
  fact?: string;
  reason?: string;
}

/** One edit of a log, and whether it is in force. */
export interface LogEditRow {
  /** `e<position>`. */
  id: string;
  kind: EditKind;
  rule: string;
  trigger?: string;
  /**
   * Who decided the edit.
   * - `user`: A user changed the text before it was applied.
   */
  author: "rule" | "model" | "user";
  /** Tokens of the targets before the edit, and of their replacements. */
  tokensBefore: number;
  tokensAfter: number;
  /** Ids of the affected messages; first and last of a range. */
  targets: string[];
  planId?: string;
  /** Id of the revoke or rewind that took it back. */
  revokedBy?: string;
}

/** A stored summary. */
export interface LogCheckpoint {
  /** From 1; never reused. */
  number: number;
  title: string;
  /** The path of its file, if it has one. */
  path?: string;
  /** Milliseconds, by the host's clock. */
  time: number;
  /** Ids of the edits that it was stored for. */
  edits: string[];
  /** Number of messages that its summary replaced, including those of older summaries. */
  messages: number;
  /** Tokens of the summary. */
  tokens: number;
  /** True while a rewind has removed the summarised messages. */
  orphaned: boolean;
}

/** An active pin, with its content. */
export interface LogPinRow extends LogPin {
  id: string;
  /** The pinned text, if the pin is a part, a range of it, or a fact. */
  text?: string;
  /** Tokens that the pin keeps in the view: those of the message, the part or the text. */
  tokens: number;
  /** True while a rewind hides its message. */
  rewound: boolean;
}

/** Tokens of a view by kind of content. */
export interface LogSplit {
  total: number;
  /** System and developer messages, and the overhead of the list. */
  frame: number;
  user: number;
  assistant: number;
  tool: number;
  /** Summaries and synthetic results: messages that the host did not have. */
  inserted: number;
  tools: number;
}

/** One message that differs. */
export interface LogDifference {
  id: string;
  role: Role;
  /** Tokens in the first view; 0 if it is not in it. */
  before: number;
  /** Tokens in the second view; 0 if it is not in it. */
  after: number;
}

/** The messages in which two views differ. */
export interface LogComparison {
  /** In the order of the second view. */
  gained: LogDifference[];
  /** In the order of the first view. */
  lost: LogDifference[];
  changed: LogDifference[];
  before: LogSplit;
  after: LogSplit;
}

/** The messages to send. */
export interface View {
  /** Uses the host's ids. Contains no content except summaries and changed parts. */
  plan: PlanItem[];
  /** The conversation without any edits. */
  before: Totals;
  after: Totals;
  /** `after` by kind of content. */
  split: LogSplit;
  origin: Origin;
  /** Repairs in this view only, so that no provider refuses it. */
  repaired: Removal[];
  /** The position in the log at which it was made. */
  position: number;
}

/** An original, and where it is now. */
export interface RecalledText {
  message: NeutralMessage;
  /** Tokens of the original. */
  tokens: number;
  /**
   * Where a message is now.
   * - `shown`: In the view, unchanged.
   * - `changed`: In the view, changed.
   * - `covered`: Replaced by a summary.
   * - `rewound`: Removed by a rewind.
   */
  place: "shown" | "changed" | "covered" | "dropped" | "rewound";
  /** Ids of the edits or the rewind that changed or hid it. */
  by: string[];
  /** The places where a query was found; empty without a query. */
  hits?: {
    part: number;
    /** In UTF-16 code units of the part's text. */
    offset: number;
    word: string;
  }[];
}

/** A view with its plan as runs. */
export interface Runs extends View {
  /** Pairs of numbers: a kept message of the log and how many are kept from there on, or the index of an item and 0. */
  runs: number[];
  items: PlanItem[];
}

/** The result of an operation: the id of its entry, and the line to store. */
export interface Added {
  id: string;
  /** One line of JSON, without a line break. */
  line: string;
}

/** A problem in the lines of a log. */
export interface LogProblem {
  /** Counts from 1. */
  line: number;
  /**
   * `cut`: the last line is incomplete; `changed`: the hash does not match; `duplicate`: a repeated line, which is
   * skipped; `missing`: lines before it are missing; `refused`: the entry is not valid.
   */
  kind: "cut" | "unreadable" | "changed" | "duplicate" | "missing" | "refused";
  /** One sentence for people. */
  message: string;
}

/** The outcome of reading a log. */
export interface LogReport {
  /** Number of the log's entries, including salvaged ones. */
  entries: number;
  /** Empty if there are none. */
  problems: LogProblem[];
  /** Number of lines from the first untrusted one on; they are not part of the log, so keep the text. */
  left: number;
  /** Lines that `salvage` found and added after those of the text. */
  salvaged: string[];
}
