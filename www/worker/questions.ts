/** The questions that the page asks its one worker, and the answers. */

import type { Readable } from "../reading.ts";
import type { SessionFacts } from "../protocol.ts";
import type { Mode } from "../app/address.ts";
import type { ReadProfile } from "../parts/profile-text.ts";
import type { Lines } from "../run/types.ts";
import type { CompactReport } from "../../js/types/compact-report.ts";
import type { EncodingName, Origin, Totals } from "../../js/types/count.ts";
import type { Part as MessagePart } from "../../js/types/messages.ts";

/** The messages of a session to show: those of the next request, all of them, or the side chain of that index. */
export type Part = "live" | "history" | { side: number };

export interface OpenedConversation {
  name: string;
  format: string;
  /** Number of messages, and their tokens with system prompt and tools. */
  count: number;
  total: number;
  /** `estimate` until the vocabulary is there. */
  origin: Origin;
  part: Part;
  /** The part that is shown at first. */
  first: Part;
  /** Why the edits of an earlier visit could not be taken up. */
  lost?: string;
  /** For files that an agent wrote. */
  session?: SessionFacts;
}

export const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
/** Fates of a row; `hidden`: an applied edit hides it already. */
export const FATES = ["kept", "changed", "dropped", "covered", "inserted", "hidden"] as const;

/** The messages with their fates, as columns: cheap to pass on, whatever their number. */
export interface Rows {
  /** Index of the message in the conversation; -1 for one that is not in it, such as a summary. */
  index: Int32Array;
  /** Indices in ROLES and FATES. */
  roles: Uint8Array;
  fates: Uint8Array;
  /** Tokens; 0 in `after` if it is not sent. */
  before: Uint32Array;
  after: Uint32Array;
}

/** News of what is being opened, before anything is counted. */
export interface Estimate {
  name: string;
  format: string;
  total: number;
  sent: number;
  budget: number;
  rows: Rows;
  /** The beginnings of messages from this index on. */
  first: number;
  peeks: string[];
}

export interface Ran {
  /** Number of this run, for questions about it. */
  run: number;
  mode: Mode;
  budget: number;
  /** The same result holds for all budgets from `low` to `high`. */
  low: number;
  high: number;
  /** True if no engine ran for it. */
  isRemembered: boolean;
  rows: Rows;
  before: Totals;
  after: Totals;
  encoding: string;
  origin: Origin;
  /** Only for `compact`. */
  plan?: Pick<CompactReport, "status" | "steps" | "summary" | "aim" | "ledger" | "quality"> & {
    /** The sizes at which a conversation with this window is compacted. */
    lines: Lines;
    /** A name or JSON text. */
    profile: string;
  };
}

/** One message with everything that is known of it. */
export interface Detail {
  /** Index of the message, or -1. */
  index: number;
  id: string;
  original: string;
  /** Absent if it is sent as it is, or not sent. */
  sent?: string;
  reasons: { rule: string; why: string }[];
  isPinned: boolean;
}

/** What would go next if the budget fell below `low` of the run. */
export interface Next {
  /** The first and the last row that go. Absent if nothing more goes. */
  row?: number;
  last?: number;
  /** Number of messages that go at once, and their tokens. */
  count: number;
  tokens: number;
  /** The budget at which they go; if nothing can go or become shorter (`isLeast`), the smallest possible one. */
  budget: number;
  isLeast?: boolean;
}

/** The state of the edits. */
export interface Edited {
  /** Indices of pinned messages. */
  pins: number[];
  canUndo: boolean;
  canRedo: boolean;
  edits: { text: string; isUndone: boolean }[];
  /** Newest first. */
  events: { text: string; line: string }[];
  entries: number;
  /** After a change: the log as lines of JSON. */
  log?: string;
}

export type Questions = {
  /** `conversation`: one of a file with several, from 1. `log`: edits of an earlier visit. */
  /** `link`: the source is a packed text of a shared address. */
  open: [
    asked: {
      source: Readable;
      encoding: EncodingName;
      conversation?: number | undefined;
      log?: string | undefined;
      link?: "words" | "shape" | undefined;
      /** A budget to estimate with until exact counts are there; absent: no estimate is wanted. */
      estimate?: number | undefined;
    },
    answer: OpenedConversation,
  ];
  /** Another part of the opened file, or another encoding; with its edits. */
  show: [asked: { part: Part; encoding: EncodingName; log?: string | undefined }, answer: OpenedConversation];
  /** `anew`: even if the result is remembered. `profile`: of compaction, a name or JSON text. */
  run: [asked: { mode: Mode; budget: number; anew?: boolean; profile?: string }, answer: Ran];
  /** Checks a profile: a name or JSON text. */
  profile: [asked: { text: string }, answer: ReadProfile];
  /** The beginnings of messages by index, then of inserted rows of a run. */
  peeks: [asked: { run: number; messages: number[]; inserted: number[] }, answer: string[]];
  detail: [asked: { run: number; row: number }, answer: Detail];
  next: [asked: { run: number }, answer: Next];
  /** The nearest budget with another result, upwards or downwards. */
  step: [asked: { mode: Mode; budget: number; up: boolean }, answer: { budget: number }];
  /** Indices of the messages that contain the words. */
  find: [asked: { words: string }, answer: Uint32Array];
  /** The request as it would be sent, in the format of the file, as JSON text. */
  result: [asked: { run: number }, answer: string];
  /** A run as one HTML page that needs nothing else. */
  page: [asked: { run: number; headline: string; sentence: string }, answer: string];
  /** The open conversation, packed for an address: with its words, or only its shape. */
  link: [asked: { what: "words" | "shape" }, answer: string];
  edited: [asked: object, answer: Edited];
  pin: [asked: { message: number; isPinned: boolean }, answer: Edited];
  /** Tokens of what the next request starts from, once the plan of a run is applied. */
  recorded: [asked: { run: number }, answer: number];
  /** Records the plan of a run. */
  apply: [asked: { run: number }, answer: Edited];
  undo: [asked: object, answer: Edited];
  redo: [asked: object, answer: Edited];
  /** Replaces the log by one that another tab has written. */
  takeUp: [asked: { log: string }, answer: Edited];
  /** The log as lines of JSON. */
  log: [asked: object, answer: string];
  /** Sends messages and tools in neutral form through `port`, for a worker of a view. */
  handOver: [asked: { port: MessagePort }, answer: undefined];
  /** Runs, and sends {@link HandedRows} through `port`, for the worker of the view of tokens. */
  handRows: [
    asked: { port: MessagePort; mode: Mode; budget: number; profile: string; isSentOnly: boolean },
    answer: undefined,
  ];
};

/** A message of a run, as it is sent; if it is not sent, as it was. */
export interface HandedRow {
  /** Index of the message in the conversation, or -1. */
  index: number;
  role: string;
  fate: (typeof FATES)[number];
  /** Tokens; 0 in `after` if it is not sent. */
  before: number;
  after: number;
  /** Absent if its words are not known. */
  parts?: readonly MessagePart[];
}

export interface HandedRows {
  rows: HandedRow[];
  encoding: EncodingName;
  /** Tokens of the request, before and after the run. */
  before: number;
  after: number;
}
