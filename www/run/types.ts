/** What a replay is asked, and what it tells: plain data for the channel between the page and the worker. */

import type { CompactReport } from "../../js/types/compact-report.ts";
import type { Trigger } from "../../js/types/compact.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { LlmRequest } from "../../js/types/llm.ts";
import type { Role } from "../../js/types/messages.ts";

/** Who writes the summaries. */
export type Writer = "rules" | "scripted" | "endpoint";
export type Failures = "never" | "second" | "always";

export interface Settings {
  /** Tokens of the window. */
  budget: number;
  /** A name, or JSON text. */
  profile: string;
  writer: Writer;
  /** Seconds that the scripted model takes for a summary. */
  latency: number;
  /** Which of its answers the scripted model fails to give. */
  failures: Failures;
  /** Seconds from one request of the agent to the next. */
  pace: number;
  /** Requests before which the newest compaction is undone. */
  undo: readonly number[];
  encoding: EncodingName;
}

/** The limits at which something happens, in tokens. */
export interface Lines {
  window: number;
  /** A request of this size waits for a summary; absent if only a full window does. */
  trigger?: number;
  /** From here on a summary is made beside the conversation; absent if the profile makes none beside it. */
  background?: number;
  /** What a compaction aims at. */
  target: number;
}

/** One request of the agent. */
export interface RunRequest {
  /** From 1. */
  number: number;
  /** Number of messages of the conversation at that time, and their tokens with the tools. */
  messages: number;
  history: number;
  /** Tokens that were sent; absent if nothing fits. */
  sent?: number;
  sentMessages: number;
  /** The beginning that it shares with the previous request: providers read it from their cache. */
  cached: number;
  cachedMessages: number;
  /** Tokens of the previous request that the cache lost, because its messages changed or went. */
  lost: number;
  /** Tokens of the messages that are sent word for word. */
  whole: number;
  /** Milliseconds on the replay's clock: when it was wanted, and how long it waited for a summary. */
  time: number;
  waited: number;
  /** Number of removals from this request only. */
  trimmed: number;
  /** Why nothing could be sent. */
  error?: string;
}

export type Outcome = "applied" | "discarded" | "failed" | "cancelled" | "pending";

/** One compaction, from its start to its end. */
export interface RunCompaction {
  /** From 1. */
  number: number;
  trigger: Trigger;
  /** True if it was made beside the conversation. */
  isBackground: boolean;
  job?: number;
  /** Where in the run: the number of a request, and the share of the way to the next. */
  start: number;
  ready?: number;
  end?: number;
  outcome: Outcome;
  status?: string;
  error?: string;
  /** The number of the request before which it was undone. */
  undone?: number;
  /** Tokens of the messages before and after. */
  before?: number;
  after?: number;
  author?: "model" | "rule" | "user";
  steps?: CompactReport["steps"];
  /** The requests to the model, by their number in the run. */
  calls: number[];
}

/** A request to the model that writes summaries. */
export interface RunCall {
  number: number;
  /** Where in the run. */
  at: number;
  purpose: LlmRequest["purpose"];
  shape: LlmRequest["shape"];
  promptTokens: number;
  /** Milliseconds on the replay's clock, once it has ended. */
  took?: number;
  outcome: "running" | "answered" | "failed" | "aborted";
  error?: Said;
  /** Characters of the answer so far. */
  characters: number;
}

/** An error in a person's words. */
export interface Said {
  what: string;
  hint?: string;
  /** The provider's own words. */
  detail?: string;
}

/** The facts of a whole run, for the foot. */
export interface Totals {
  requests: number;
  sent: number;
  cached: number;
  lost: number;
  compactions: number;
  /** Summaries that were applied. */
  summaries: number;
  calls: number;
  waits: number;
  waited: number;
  trimmed: number;
  failed: number;
  /** Tokens sent word for word in the last request. */
  whole: number;
}

/** What happened between two messages to the page. */
export interface Progress {
  run: number;
  /** Index of the settings: 0 is A, 1 is B. */
  side: number;
  lines?: Lines;
  requests: RunRequest[];
  /** Those that began or changed. */
  compactions: RunCompaction[];
  calls: RunCall[];
  /** The newest part of the answer that is being written. */
  writing?: { call: number; text: string };
  /** Number of the requests of the whole run. */
  of: number;
  isDone: boolean;
  /** Why the run ended early. */
  failed?: { isStopped: boolean; said: Said };
}

/** What became of a message at a request. */
export const FATES = ["kept", "changed", "covered", "dropped"] as const;
export type Fate = (typeof FATES)[number];

/** A message of the conversation, for a row that can be seen. */
export interface MessageRow {
  id: string;
  role: Role;
  tokens: number;
  /** Its beginning. */
  peek: string;
}

/** A message that the conversation did not have: a summary. */
export interface Inserted {
  id: string;
  role: Role;
  tokens: number;
  peek: string;
  /** It comes before the message of the conversation with this index. */
  before: number;
}

/** A mark that tells a provider to keep the request up to here in its cache. */
export interface CacheMark {
  /** Id of the message; absent for the tools. */
  message?: string;
  why: string;
}

/** What one request holds. */
export interface Step {
  request: number;
  /** Index in {@link FATES} of each message that the conversation had at that time. */
  fates: Uint8Array;
  inserted: Inserted[];
  /** The newest edits that hold for this request, and the number of all. */
  edits: { id: string; rule: string; trigger?: string; before: number; after: number; messages: number }[];
  editCount: number;
  trimmed: { rule: string; why: string; tokens: number }[];
  /** Where the request parts from the previous one. */
  difference?: { id: string; kind: string };
  marks: CacheMark[];
}

/** A message that somebody wants to read. */
export interface Shown {
  /** Why it changed or went. */
  why?: string;
  /** The message of the conversation, if there is one. */
  original?: string;
  /** The same message as it was sent, if it was and differs. */
  sent?: string;
}
