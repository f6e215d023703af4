/** Limits of models; options and reports of pruning. */

import type { CostModelName, CountOptions, EncodingName, Origin, Totals } from "./count.ts";
import type { Role } from "./messages.ts";
import type { ProviderName } from "./validity.ts";

/** What is known of a model. All in tokens. */
export interface ModelLimits {
  /** The model's name; picks the encoding, and what was learned of the model. */
  name?: string;
  /** Input tokens that the model takes. */
  maxPromptTokens?: number;
  /** The same, as VS Code's models say it. */
  maxInputTokens?: number;
  /** Input and output together. */
  maxContextWindowTokens?: number;
  /** Output tokens to leave free in the window. Default 4,096, at most a quarter of the window. */
  outputReserve?: number;
  /**
   * Input tokens that the model is used with unless more is wanted; conversations stay within it (see
   * `preferLongContext`).
   */
  defaultTier?: number;
  /** More than the default tier costs more: it is never used unless the user picks it. Default false. */
  surcharge?: boolean;
}

/**
 * One pass of pruning: single results over a quarter of the limit; turns before the newest request, of the last one its
 * oldest rounds only; rounds before the newest request; older requests with what is left of their turns; rounds after
 * the newest request; results in what is left, to one common level; long arguments of old calls; pictures and documents
 * outside the newest round.
 */
export type PrunePass =
  | "oversize"
  | "turns"
  | "rounds"
  | "requests"
  | "currentRounds"
  | "results"
  | "arguments"
  | "media";

/** Nothing in it is drawn: the same input gives the same request, so there is no seed to give. */
export interface PruneOptions extends Omit<CountOptions, "model"> {
  /**
   * Input tokens the request may have, tool definitions included. A whole number >= 0. Without it the limit is that of
   * `model`: as stated, else by its name (gpt-4, gpt-3.5 and Claude), else 128,000. `report.limitSource` says which.
   */
  budget?: number;
  /** A model's name, or what is known of it. */
  model?: string | ModelLimits;
  /** Tokens to leave free below the budget. Default 0. */
  headroom?: number;
  /** Ids (or indices) of messages that must stay as they are, with the calls and results that go with them. */
  keep?: readonly (string | number)[];
  /** Re-admit older groups that still fit whole, newest first. Default false. */
  backfill?: boolean;
  /**
   * `drop` (default), `shrink` (results get smaller before anything is dropped), or passes in order; one that is not
   * named is skipped.
   */
  order?: "drop" | "shrink" | readonly PrunePass[];
  /** Priorities of messages by id (`m<index>`), 0 for all others: inside a pass the lowest goes first. */
  priorities?: Readonly<Record<string, number>>;
  /** Put a line into the next message of the user that says how much was left out, and where it is. Default false. */
  note?: boolean;
  /**
   * Share of the limit, 0 to 1, for sentences of the dropped messages: whole sentences, chosen by how much they say for
   * their tokens, in a note in front of the first thing that the user says in the result (see `report.notes`). They
   * also take what is too little for one more turn. For talk in which facts matter more than whole messages; sentences
   * are chosen anew for each request. Default 0: none.
   */
  sentenceShare?: number;
  /**
   * `report.cut` of the previous request: what went then stays away while that fits, so that both begin alike for the
   * provider's cache.
   */
  previous?: PruneCut;
  /**
   * Share of the limit by which a cut moves at least when it must move, 0 to 1. With 0.1 the cache breaks once in many
   * requests. Default 0.
   */
  cacheStepShare?: number;
  /** Media that go whatever the request costs, for providers that refuse its bytes. Default `none`. */
  dropMedia?: DropMedia;
  /**
   * Bytes that the pictures in the results of one turn may have together: the newest stay, older ones become notes,
   * whatever the request costs. Default 2,621,440 (2.5 MiB); `Infinity` for no limit. Pictures by address do not count.
   */
  maxImageBytes?: number;
  /**
   * Whom the request is for, as far as costs of messages and pictures go, and what may stay as it is: OpenAI takes
   * blank messages of the user, and with Responses results behind later calls. Default: as the format of the messages
   * says. What comes out pairs up and is told apart as all providers want it otherwise; {@link repair} mends what else
   * a provider would refuse in your own messages.
   */
  provider?: ProviderName;
  /**
   * The server manages the context. {@link request} sends everything then, and cuts only what was refused. Compaction
   * items of servers stay with what follows them either way.
   */
  serverManaged?: boolean;
}

/** `old`: outside the newest round and the newest request. `all`: all but what the user says in the newest request. */
export type DropMedia = "none" | "old" | "all";

/** What a request was cut to: plain data to keep until the next request. */
export interface PruneCut {
  limit: number;
  gone: { first: string; last: string; mark: string }[];
  shortened: ({ id: string; part: number; item?: number } & (
    | { how: "oversize" | "result"; limit: number }
    | { how: "arguments" | "media" }
  ))[];
  /** Fingerprints of the messages as sent, 8 characters each. */
  sent: string;
}

/** What two requests in a row have in common. */
export interface SharedMessages {
  /** Messages that both begin with. */
  messages: number;
  tokens: number;
  /**
   * Where this request differs first; absent if it begins with the whole previous one. Without `rule` it is the host's
   * own messages that are not what they were.
   */
  differs?: { at: number; id?: string; rule?: string };
}

/** Why something went or changed. */
export interface Removal {
  /** Ids of the messages, in order. */
  ids: string[];
  /**
   * `orphan-result`, `lost-call`, `double-id`, `empty`, `heavy-picture`, `audience`; `old-turn`, `old-round`,
   * `old-request`, `current-round`; `oversize-result`, `long-result`, `long-arguments`, `media`; `same-result`,
   * `repeated-read`, `edited-read`, `failed-attempt`, `clear`, `clear-arguments`, `reasoning`, `capped-result`;
   * `summary`, `long-request`, `long-earlier-record`, `long-record`; …
   */
  rule: string;
  /** One sentence for people. */
  why: string;
  tokens: number;
  /** Where to find what was removed: the originals stay with the host under these ids. */
  recall: string;
}

export interface MessageFate {
  id: string;
  role: Role;
  /** Tokens before. */
  before: number;
  /** Tokens after; 0 when dropped. */
  after: number;
  fate: "kept" | "changed" | "dropped" | "covered" | "inserted";
  rule?: string;
}

/**
 * Who said what the limit is. `modelName`: nobody, but the window of a model of this name is known. `assumedLimit`:
 * nobody. `learned`: the provider, when it refused an earlier request.
 */
export type LimitSource = "budget" | "maxPromptTokens" | "contextWindow" | "modelName" | "assumedLimit" | "learned";

/** What pruning and compaction report alike. */
export interface CutReport {
  budget: number;
  /** What counted: an encoding, or `host` for a tokenizer of the host's own. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
  origin: Origin;
  before: Totals;
  after: Totals;
  /** Everything that went or changed, in the order in which it was decided. */
  removed: Removal[];
  /** One row for every message of the input and every inserted one, in order. */
  messages: MessageFate[];
}

export interface PruneReport extends CutReport {
  limitSource: LimitSource;
  /** Lines that were put in, on demand. */
  notes?: { id: string; text: string; tokens: number }[];
  /** For the next request's `previous`. */
  cut: PruneCut;
  /** Present with `previous`. */
  shared?: SharedMessages;
}

export interface PruneResult<T> {
  /**
   * The same shape as what was passed in (array or request object); untouched messages are the caller's own objects.
   */
  messages: T;
  report: PruneReport;
}
