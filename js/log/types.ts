/** Types of a conversation's event log. */

import type { SearchLoader } from "./loader.ts";
import type { CompactOptions } from "../types/compact.ts";
import type { CompactReport, CompactStatus, Edit, EditKind, EditTarget } from "../types/compact-report.ts";
import type { CountOptions } from "../types/count.ts";
import type { RecalledText, View } from "../types/generated/log.ts";
import type { Format, NeutralMessage, Role } from "../types/messages.ts";
import type { ProviderName } from "../types/validity.ts";

export type {
  LogCheckpoint,
  LogComparison,
  LogDifference,
  LogEditRow,
  LogPin,
  LogPinRow,
  LogProblem,
  LogReport,
  LogSplit,
} from "../types/generated/log.ts";

/** One change of the messages that the model sees. */
export interface LogEdit {
  kind: EditKind;
  /** The stable name of its rule. */
  rule: string;
  /** The changed or dropped messages and parts. `drop` names messages only, and `replace_range` has a range instead. */
  targets?: EditTarget[];
  /**
   * First and last message that the summary replaces. Both extend outward: to whole rounds, and around older ranges
   * that they touch. System messages, the newest request, pinned content, and `carried` stay.
   */
  range?: {
    from: string;
    to: string;
    summary: string | Omit<NeutralMessage, "id"> | NeutralMessage;
    carried?: string[];
    /**
     * A thought of the range that must move to the front of a kept message with calls: part `part` of `from`, into
     * `to`.
     */
    thinking?: { from: string; part: number; to: string };
  };
  /** For `supersede`. */
  newer?: string;
  trigger?: string;
  author?: "rule" | "model" | "user";
  planId?: string;
  /**
   * The messages it was made from ({@link ConversationLog.fingerprint}); if they have changed, the edit is refused as
   * `stale_plan`.
   */
  consumed?: { ids: string[]; hash: string };
  /** The host's data about its origin. Must be JSON. */
  data?: unknown;
}

/** The messages to send. */
export interface LogView<T> extends View {
  /** Messages without edits are the host's own objects. */
  messages: T[];
}

/** The origin of a compaction's edits. */
export interface AdoptOptions {
  /**
   * {@link ConversationLog.length} when the compaction read the view. The messages of its edits must not have been
   * edited, pinned, rewound or restored since; messages may have been added.
   */
  since?: number;
  /** The trigger of the compaction, stored with its first edit. Default: not recorded. */
  trigger?: string;
  /** The id of the applied plan, stored with its first edit. Default: not recorded. */
  planId?: string;
  /** The host's data, stored with the first edit. Must be JSON. */
  data?: unknown;
}

/** Options of {@link compact}; the log decides how to count. */
export type LogCompactOptions = Omit<CompactOptions, keyof CountOptions> & Omit<AdoptOptions, "since" | "data">;

export interface LogCompactResult {
  status: CompactStatus;
  /** Ids of the edits in the log, in order: undo them from the last to the first. */
  ids: string[];
  /** The edits as the compaction made them. */
  edits: Edit[];
  report: CompactReport;
}

/** The effect of an edit. */
export interface LogPreview<T> {
  /** Ids of messages by which the range was extended. */
  grown: string[];
  tokensBefore: number;
  tokensAfter: number;
  view: LogView<T>;
  /** Tokens of the current view. */
  total: number;
}

/** An original and its current place. */
export interface Recalled<T> extends Omit<RecalledText, "message"> {
  id: string;
  role: Role;
  /** The host's own object. */
  message: T;
  /** Places of a query's words. */
  hits: NonNullable<RecalledText["hits"]>;
}

export interface LogOptions extends Omit<CountOptions, "format"> {
  /** The format of the messages. */
  format: Format;
  /**
   * The provider that receives the messages. Default: by the format. It decides whether the view keeps call ids that
   * repeat in later rounds; if it is not known (neutral messages, those of the AI SDK), repeated ids get a suffix.
   */
  provider?: ProviderName;
  /** Returns milliseconds for the time of entries. Nothing depends on it. Default `Date.now`. */
  now?: () => number;
  /**
   * Loads the engine that finds messages: `() => import("espalier/search")`. Default: the package's own in Node;
   * elsewhere none, and `search` throws `search_not_loaded`.
   */
  search?: SearchLoader;
}
export interface LogImportOptions<T> extends Omit<LogOptions, "format"> {
  /** The format of `messages`. Default: detected if they are a list, else `espalier`. */
  format?: Format;
  /**
   * The host's own messages, all that the log has, in order. Without them the log is one of neutral messages (`format:
   * "espalier"`), made from the lines. A function receives the neutral messages of the log and returns the host's.
   */
  messages?: readonly T[] | ((known: readonly NeutralMessage[]) => readonly T[]);
  /**
   * True if `messages` must equal the log's exactly; false if only number, role and number of parts must match.
   * Default: true, unless a function makes them.
   */
  exact?: boolean;
  /** Adds messages after an untrusted line to the end again. Default false. */
  salvage?: boolean;
}
