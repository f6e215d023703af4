/** The messages between the page of conversations and its worker. */

import type { SessionProblem, SideChain, SkippedKind } from "../js/sessions/types.ts";
import type { CompactReport } from "../js/types/compact-report.ts";
import type { EncodingName, Origin } from "../js/types/count.ts";
import type { PruneReport } from "../js/types/prune.ts";
import type { Role } from "../js/types/messages.ts";
import type { Source } from "./reading.ts";

export type Mode = "prune" | "compact";

/** The messages of a session to show: those of the next request, all of them, or the side chain of that index. */
export type View = "live" | "history" | { side: number };

export type Questions = {
  /** `conversation`: one of a file with several, from 1. */
  open: [asked: { source: Source; encoding: EncodingName; conversation?: number }, answer: Opened];
  /** Another view of the open conversation, or the same with another encoding. */
  show: [asked: { view: View; encoding: EncodingName }, answer: Opened];
  run: [asked: { mode: Mode; budget: number; encoding: EncodingName }, answer: Ran];
  read: [asked: { message: string }, answer: { text: string }];
};

/** Progress of reading a file, in bytes; `isRead` once it is completely read and counted. */
export interface Progress {
  name: string;
  bytes: number;
  size: number;
  isRead: boolean;
}

/** One message as the page shows it. */
export interface Row {
  id: string;
  role: Role;
  /** The beginning of its text. */
  peek: string;
}

export interface Opened {
  name: string;
  format: string;
  total: number;
  origin: Origin;
  rows: Row[];
  view: View;
  /** For files that an agent wrote. */
  session?: SessionFacts;
}

/** The facts of a session that the page shows. */
export interface SessionFacts {
  tool: string;
  evidence: string;
  title?: string | undefined;
  model?: string | undefined;
  version?: string | undefined;
  cwd?: string | undefined;
  /** Tokens of the model's context window. */
  window?: number | undefined;
  /** Number of messages in each view. */
  live: number;
  history: number;
  /** Number of the user's requests. */
  turns: number;
  compactions: CompactionFacts[];
  sides: SideFacts[];
  skipped: SkippedKind[];
  /** The first broken lines, and the number of all. */
  problems: SessionProblem[];
  broken: number;
  usage?: UsageFacts | undefined;
  /** The number of the conversation, for a file with several. */
  conversation?: number | undefined;
}

export interface SideFacts {
  kind: SideChain["kind"];
  /** Its title, else its beginning, else its id. */
  name: string;
  messages: number;
}

export interface CompactionFacts {
  /** Number of messages of the history that it replaced. */
  before: number;
  /** Number of messages that replaced them. */
  context: number;
  summary?: string | undefined;
  tokensBefore?: number | undefined;
  tokensAfter?: number | undefined;
}

/** The newest request: the recorded tokens and our count. */
export interface UsageFacts {
  recorded: number;
  /** Tokens of it that came from the provider's cache. */
  cached: number;
  model?: string | undefined;
  counted: number;
  origin: Origin;
  messages: number;
  /** Parts of requests that the file lacks, so that `counted` excludes them. */
  missing: ("the system prompt" | "the tool definitions")[];
}

export interface Ran {
  mode: Mode;
  report: PruneReport | CompactReport;
  /** Messages that were not in the input, by id. */
  inserted: Row[];
}
