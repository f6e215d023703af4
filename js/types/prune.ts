/** Limits of models, options and reports of pruning. */

import type { CountOptions } from "./count.ts";
import type { DropMedia, PruneCut, PrunePass, PruneReport as WrittenReport } from "./generated/prune.ts";
import type { LimitFinding, RequestLimits } from "./limits.ts";
import type { ProviderName } from "./validity.ts";

export type {
  DropMedia,
  LeftOut,
  MessageFate,
  PruneCut,
  PrunePass,
  Removal,
  SharedMessages,
} from "./generated/prune.ts";

/** The limits of a model, in tokens. */
export interface ModelLimits {
  /** The model's name. Selects the encoding, and the limits that were learned from refusals. */
  name?: string;
  /** Max input tokens. */
  maxPromptTokens?: number;
  /** The same, under the name that VS Code's models use. */
  maxInputTokens?: number;
  /** Max tokens of input and output together. */
  maxContextWindowTokens?: number;
  /**
   * Output tokens to leave free in the window. Default 4,096, at most a quarter of the window. Lowered to what the
   * model can write at most, see `maxOutputTokens`; `report.outputReserve` says so.
   */
  outputReserve?: number;
  /** Max tokens of one answer. Default: those that are known by the name (`modelFacts`), else no limit. */
  maxOutputTokens?: number;
  /** Input tokens of the default tier. Conversations stay within it unless `preferLongContext` is set. */
  defaultTier?: number;
  /**
   * True if more input than the default tier costs extra: the rest is used only if the user picks it. Default false.
   */
  surcharge?: boolean;
}

/** Options of {@link prune}. Pruning is deterministic: the same input gives the same request. */
export interface PruneOptions extends Omit<CountOptions, "model"> {
  /**
   * Max input tokens of the request, tool definitions included. Default: the limit of `model`, as stated or known by
   * its name (`modelFacts`), else 128,000. `report.limitSource` names the source.
   */
  budget?: number;
  /** A model's name, or its limits. Default: that of the request, if one was passed. */
  model?: string | ModelLimits;
  /** Tokens to leave free below the budget. Default 0. */
  headroom?: number;
  /** Ids (or indices) of messages that must stay unchanged, with their calls and results. */
  keep?: readonly (string | number)[];
  /** Restores older groups that still fit whole, newest first. Default false. */
  backfill?: boolean;
  /**
   * `drop` (default), `shrink` (shortens results before it drops anything), or a list of passes in order: `oversize`,
   * `turns`, `rounds`, `requests`, `currentRounds`, `results`, `arguments`, `media`. A pass that is not listed is
   * skipped.
   */
  order?: "drop" | "shrink" | readonly PrunePass[];
  /** Priorities of messages by id (`m<index>`), 0 for all others. Within a pass the lowest goes first. */
  priorities?: Readonly<Record<string, number>>;
  /** Adds a line to the next user message that says how much was left out, and where it is. Default false. */
  note?: boolean;
  /**
   * Share of the limit, 0 to 1, for sentences of dropped messages. Whole sentences, chosen by information per token, go
   * into a note before the first user text of the result (see `report.notes`). They also use room that is too small for
   * one more turn. Meant for talk in which facts matter more than whole messages; each request chooses its sentences
   * again. Default 0: none.
   */
  sentenceShare?: number;
  /**
   * `report.cut` of the previous request. Its removals are repeated while the result fits, so that both requests begin
   * alike for the provider's cache.
   */
  previous?: PruneCut;
  /**
   * Min distance of a cut that must move, as a share of the limit, 0 to 1: what stays behind a cut is written to the
   * provider's cache again, so a rare and deep cut costs less. Default 0.5 with `previous`, else 0.
   */
  cacheStepShare?: number;
  /** Media to drop whatever the request costs, for providers that refuse its bytes. Default `none`. */
  dropMedia?: DropMedia;
  /**
   * Max bytes of the pictures in the results of one turn: the newest stay, notes replace older ones, whatever the
   * request costs. Default 2,621,440 (2.5 MiB); `Infinity` for no limit. Pictures by address do not count.
   */
  maxImageBytes?: number;
  /**
   * The provider that receives the request. The result keeps its rules ({@link validate} finds nothing). It decides
   * costs of messages and pictures, and what may stay unchanged: OpenAI accepts blank user messages, and with Responses
   * results after later calls. Default: by the format of the messages, whose ids, names of tools and pictures then stay
   * as the host wrote them. If neither names a provider, calls and results are paired, and nothing else is repaired.
   */
  provider?: ProviderName;
  /**
   * Limits of the request that are not tokens, in place of those that the provider documents; `Infinity` for none. The
   * oldest pictures and documents become notes until their number and the bytes fit; then older messages go. Pictures
   * of the newest request and of messages in `keep` stay. `report.exceeded` lists documented limits that what must
   * stay exceeds. Bytes are those of the messages and of the request that you pass, as JSON.
   */
  limits?: Omit<RequestLimits, "maxTokens">;
  /**
   * True if the server manages the context: {@link request} then sends everything, and cuts only after a refusal. In
   * either case compaction items of servers stay with the messages after them.
   */
  serverManaged?: boolean;
}

/**
 * Where a limit comes from. `modelName`: the known window of a model with this name. `assumedLimit`: the default.
 * `learned`: a refusal by the provider.
 */
export type LimitSource = "budget" | "maxPromptTokens" | "contextWindow" | "modelName" | "assumedLimit" | "learned";

/** The common part of the reports of pruning and compaction. */
export type CutReport = Pick<
  WrittenReport,
  "budget" | "encoding" | "costModel" | "origin" | "before" | "after" | "removed" | "messages"
>;

export interface PruneReport extends WrittenReport {
  limitSource: LimitSource;
  /** Output tokens left free in the window; absent if the model can write as many as its `outputReserve`. */
  outputReserve?: number;
  /** Documented limits of the provider that the request exceeds nevertheless; absent if there are none. */
  exceeded?: readonly LimitFinding[];
}

export interface PruneResult<T> {
  /** The same shape as the input (list or request object); unchanged messages are the caller's own objects. */
  messages: T;
  report: PruneReport;
}
