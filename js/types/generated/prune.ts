/** Reports of pruning, and of smaller tool results. Written by `npm run types`: do not edit. */

import type { CostModelName, EncodingName, Origin, Totals } from "./count.ts";
import type { Role } from "./messages.ts";

/** One pass of pruning. Repair is not listed, because it always runs. */
export type PrunePass =
  /**
   * Cuts single results over a quarter of the limit; over three quarters if they are among the newest messages that fit
   * together, and older ones are dropped next.
   */
  | "oversize"
  /** Drops turns before the newest request; of the last of them, its oldest rounds only. */
  | "turns"
  /** Drops rounds before the newest request. */
  | "rounds"
  /** Drops older requests with the rest of their turns. */
  | "requests"
  /** Drops rounds after the newest request. */
  | "currentRounds"
  /** Cuts the remaining results to one common level. */
  | "results"
  /** Cuts long arguments of old calls. */
  | "arguments"
  /** Drops pictures and documents outside the newest round. */
  | "media";

/** Media to remove even if the request fits, because the provider refused its size in bytes. */
export type DropMedia =
  | "none"
  /** Media outside the newest round and the newest request. */
  | "old"
  /** All media except those of the user in the newest request. */
  | "all";

/**
 * How a request was cut: plain data to keep until the next request, with a few dozen bytes for each removed stretch,
 * and eight characters for each sent message.
 */
export interface PruneCut {
  /** Token limit of the request. */
  limit: number;
  /** Removed stretches of messages, in order. */
  gone: {
    first: string;
    last: string;
    /**
     * Fingerprint of the stretch. If the history was rewritten, it does not match and the stretch is not removed again.
     */
    mark: string;
  }[];
  /** Shortened parts. */
  shortened: {
    /** Id of the message. */
    id: string;
    /** Index among the parts of the host's message. */
    part: number;
    /** Index in the content of a result, if only one of its items changed. */
    item?: number;
    /**
     * How a part was shortened.
     * - `oversize`: A result that exceeded its share of the limit.
     * - `result`: A result cut to the common maximum of all results.
     */
    how: "oversize" | "result" | "arguments" | "media";
    /** Maximum tokens of a shortened result; 0 for other parts. */
    limit?: number;
  }[];
  /** Fingerprints of the sent messages, in order, eight characters each. */
  sent: string;
}

/** What two consecutive requests have in common. */
export interface SharedMessages {
  /** Number of equal messages at the beginning of both. */
  messages: number;
  /** Tokens of these messages. */
  tokens: number;
  /** The first difference. Absent if this request begins with all messages of the previous one. */
  differs?: {
    /** Index in this request. */
    at: number;
    /** Id of this request's message at that index, if there is one. */
    id?: string;
    /** The rule that removed or changed something there. Absent if the host changed its own messages. */
    rule?: string;
  };
}

/** Why messages were removed or changed. */
export interface Removal {
  /** Ids of the messages, in order. */
  ids: string[];
  /**
   * `orphan-result`, `lost-call`, `double-id`, `empty`, `heavy-picture`, `audience`; `old-turn`, `old-round`,
   * `old-request`, `current-round`; `reduced-result` (only what its tool's output can spare is missing),
   * `oversize-result`, `long-result`, `long-arguments`, `media`; `same-result`, `repeated-read`, `edited-read`,
   * `failed-attempt`, `clear`, `clear-arguments`, `reasoning`, `capped-result`; `summary`, `long-request`,
   * `long-earlier-record`, `long-record`; …
   */
  rule: string;
  /** One sentence for people. */
  why: string;
  /** Tokens freed. */
  tokens: number;
  /** Where to find the removed text: the host keeps the originals under these ids. */
  recall: string;
}

/** The outcome for one message. */
export interface MessageFate {
  id: string;
  role: Role;
  /** Tokens before; 0 if inserted. */
  before: number;
  /** Tokens after; 0 if removed. */
  after: number;
  /**
   * The outcome for a message.
   * - `covered`: Replaced by a summary.
   */
  fate: "kept" | "changed" | "dropped" | "covered" | "inserted";
  rule?: string;
}

/** The report of pruning. */
export interface PruneReport {
  before: Totals;
  after: Totals;
  origin: Origin;
  /** Everything that was removed or changed, in the order of the decisions. */
  removed: Removal[];
  /** One row for every message of the input and every inserted one, in order. */
  messages: MessageFate[];
  /** Inserted lines, if the options asked for them. */
  notes?: {
    /** Id of the message with the line. */
    id: string;
    text: string;
    /** Tokens that the line adds. */
    tokens: number;
  }[];
  /** Pass this as `previous` of the next request. */
  cut: PruneCut;
  /** Present with `previous`. */
  shared?: SharedMessages;
  budget: number;
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
}

/** A result that was cut or cleared. */
export interface GoneResult {
  message: string;
  /** Index among the parts of the neutral message. */
  part: number;
  /** Index in the result's content, if that is not one text. */
  item?: number;
  callId: string;
  tool?: string;
  /** Tokens of its text before and after, as the rule counts them. */
  before: number;
  after: number;
  /** Where the whole result is: the handle that the host returned when it stored it, else the id of the message. */
  recall: string;
}

/** The report of smaller tool results. */
export interface ResultsReport {
  /**
   * How the operation ended.
   * - `changed`: At least one result is shorter, or a note replaces one of its pictures.
   * - `within_budget`: All results are within the limit.
   * - `under_cap`: All results together exceed the limit, but none exceeds the cap, so there is nothing to shorten.
   * - `small_gain`: Removing everything that may go would free less than the minimum; nothing was changed.
   */
  outcome: "changed" | "within_budget" | "under_cap" | "small_gain";
  before: Totals;
  after: Totals;
  origin: Origin;
  /** Everything that was removed or changed, in the order of the decisions. */
  removed: Removal[];
  /** One row for every message of the input and every inserted one, in order. */
  messages: MessageFate[];
  /** All results together, as the rule counts them. */
  results: { count: number; before: number; after: number };
  /** In the order of the messages. */
  gone: GoneResult[];
  /** The water level, if there is one: pass it to the next call. */
  level?: number;
  /** The encoding that counted, or `host` for the host's own tokenizer. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
}

/** A reduced text. */
export interface Reduction {
  text: string;
  /** Tokens of the result, and of the input. */
  tokens: number;
  before: number;
  /** Names of the reducers that changed the text, in order. */
  rules: string[];
  /** What is missing. */
  leftOut: LeftOut[];
}

/** Lines that a reducer left out. */
export interface LeftOut {
  /** A noun in the plural: `passed tests`. */
  what: string;
  /** 0 for something that is not counted in lines: `markup`. */
  lines: number;
}

/** A text within its limit. */
export interface Shortened {
  /** Absent if the input is unchanged. */
  text?: string;
  /** Tokens of the result, and of the input. */
  tokens: number;
  before: number;
  /** Tokens and lines missing from the result. */
  cut: number;
  lines: number;
  /** Number of error lines kept from the middle. */
  errors: number;
  /** Number of removed escape sequences and repeated lines. */
  escapes: number;
  repeated: number;
  /** True if it was cut as JSON, and is still JSON. */
  json: boolean;
  /** What a reducer left out before the text was cut. */
  leftOut?: LeftOut[];
}
