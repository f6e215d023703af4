/** The options of a conversation, and its results and events. */

import type { SearchLoader } from "../log/loader.ts";
import type { LogReport, LogSplit, LogView } from "../log/types.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactHooks, CompactOptions, Trigger } from "../types/compact.ts";
import type { CompactReport, CompactStatus, Edit } from "../types/compact-report.ts";
import type { CountOptions, Totals } from "../types/count.ts";
import type { Format, ToolList } from "../types/messages.ts";
import type { LimitFinding } from "../types/limits.ts";
import type { ModelLimits, PruneOptions, Removal } from "../types/prune.ts";
import type { Llm } from "../types/llm.ts";
import type { ProfileFields, ProfileName } from "../types/profile.ts";
import type { ProviderName } from "../types/validity.ts";
import type { CacheLifetime, Usage } from "../types/cache.ts";
import type { Session } from "../sessions/types.ts";
import type { FitToolsOptions, FitToolsReport } from "../tools/fit-tools.ts";
import type { ToolLoader } from "../tools/loader.ts";
import type { ContextUsage } from "../types/generated/conversation.ts";
import type { ConversationStorage } from "./storage.ts";

export type { ContextUsage } from "../types/generated/conversation.ts";

export interface ConversationOptions<T> extends Omit<CountOptions, "model" | "format"> {
  /**
   * The messages of the conversation so far. With a log (`log`, or the stored one): all messages of that log, in order,
   * as the host's own objects; without them they are restored from the storage.
   */
  messages?: readonly T[];
  /**
   * Continues from a session file of another agent: its live context, format, model, system prompt and tools if the
   * file holds them, and its recorded usage, which anchors the counts. Other options win. It begins a new conversation;
   * a stored one continues unchanged.
   *
   * ```ts
   * import { readFile } from "node:fs/promises";
   * import { openConversation } from "espalier";
   * import { readSession } from "espalier/sessions";
   *
   * const session = readSession(await readFile("claude-code.jsonl", "utf8"));
   * const conversation = await openConversation({ session });
   * conversation.append({ role: "user", content: "Go on." });
   * const { messages } = await conversation.prepare();
   * messages.length; // => 5
   * await conversation.dispose();
   * ```
   */
  session?: Session;
  /** The lines of a log to continue. A stored log wins. */
  log?: string;
  /** Where to store the conversation. Default: nowhere. */
  storage?: ConversationStorage;
  /** Detected from `messages` if absent; required without messages, also with an empty list. */
  format?: Format;
  /** A model's name, or its limits. */
  model?: string | ModelLimits;
  /** Default `espalier`. */
  profile?: ProfileName | ProfileFields;
  /**
   * The provider whose rules requests keep. Default: by the format; neutral messages and those of the AI SDK have no
   * provider until one is set, and only their calls are paired.
   */
  provider?: ProviderName;
  /** As {@link PruneOptions.limits}: what exceeds them is left out of the request, and stays in the conversation. */
  limits?: PruneOptions["limits"];
  /** The system prompt, if the format keeps it separate from the messages: it is counted with every request. */
  system?: string;
  /** Writes summaries. Without it rules write them. */
  llm?: Llm;
  /**
   * The user's own threshold: a share of the model's limit up to 1, or tokens from 100 on. It lowers the limit for all
   * decisions.
   */
  threshold?: number;
  /** The context size that the user picked, in tokens; values above the model's own have no effect. */
  maxContextTokens?: number;
  /**
   * Uses the model's whole window instead of its default tier (`model.defaultTier`), if that costs no more. Default
   * false.
   */
  preferLongContext?: boolean;
  /**
   * Compacts automatically. If false, stored summaries still apply, and a request that is too large is pruned. Default
   * true.
   */
  automatic?: boolean;
  /**
   * The server manages the context by its own settings, which you send along: nothing is compacted or left out unless
   * you ask for it or the provider refuses a request, and usage is the provider's report. Its compaction items are sent
   * back unchanged. Default false.
   */
  serverManaged?: boolean;
  /**
   * Makes summaries beside the conversation. Default: the profile's choice with `llm`; without it false, since rules
   * need no time and a later compaction costs less.
   */
  background?: boolean;
  /**
   * The seed of jitter. The same log and entropy lead to the same decisions. Default: drawn once, and stored in the
   * log.
   */
  entropy?: string | number;
  /**
   * How long the provider keeps a request in its cache after its last use. After a longer pause (by `clock`) the next
   * request is written anew in any case, so that removals cost nothing: rules then run from `profile.applyMin` of the
   * limit on. If an `llm` writes summaries, they only shorten results. Default: pauses decide nothing.
   */
  cacheLifetime?: CacheLifetime;
  /** The host's clock: timeouts, the time of entries and pauses (`cacheLifetime`) depend on it. */
  clock?: Partial<Pick<Clock, "now" | "after">>;
  /**
   * Milliseconds: to wait for a running job, for one call of the model, for each hook and file, for each storage
   * operation. Default: the profile's (60,000, 120,000 and 10,000), and 5,000.
   */
  timeoutsMs?: { wait?: number; model?: number; hook?: number; storage?: number };
  /** Number of stored summaries to keep as files, the newest; 0 for none. Default 20. */
  checkpoints?: number;
  /** Called before and after every compaction, whatever its trigger; see {@link compact}. */
  hooks?: CompactHooks;
  /** Options of {@link compact} for every compaction: ledger rules, `maxLlmTokens`. */
  compact?: Omit<
    CompactOptions,
    keyof CountOptions | "budget" | "llm" | "signal" | "focus" | "force" | "timeoutMs" | "onProgress"
  >;
  /** Called with every event; like `conversation.on("*", …)`, but from the beginning. */
  onEvent?: (event: ConversationEvent | CopilotCliEvent | CopilotChatEvent | GeminiCliEvent) => void;
  /**
   * Emits events under the names and fields of another system, if it has them; other events keep their names. `both`
   * emits Copilot CLI's beside Espalier's. Default `espalier`.
   */
  eventProfile?: EventProfile;
  /**
   * Loads the engine that {@link Conversation.search} uses: `() => import("espalier/search")`. Default in Node: the
   * package's own.
   */
  search?: SearchLoader;
}

/** One compaction of a conversation. */
export interface Compacted {
  /**
   * `not_ready`: there is nothing to send yet, or nothing can summarise: no model, and the ladder is without `offline`.
   * `count_failed`: the `tokenizer` of the options threw, or returned no number; the history is unchanged.
   */
  status:
    | CompactStatus
    | "already_running"
    | "stale_plan"
    | "budget_exceeded"
    | "engine_failed"
    | "count_failed"
    | "not_ready";
  trigger: Trigger;
  /** True if trying again may help. */
  retryable: boolean;
  /** Ids of the edits, for undoing them. */
  edits: string[];
  before: Totals;
  after: Totals;
  /** Number of the summary: its row in {@link Conversation.checkpoints}. */
  checkpoint?: number;
  report?: CompactReport;
  error?: string;
  /** For a job: its number. */
  job?: number;
  /** For a compaction by hand: the verdict that an automatic one would have obeyed. */
  bypassed?: "offline" | "cutOnly" | "notYet" | "blocked";
}

export interface PrepareOptions<Tools extends ToolList = ToolList> {
  /** Tool definitions of this request, in the format of the messages. Default: those of the previous request. */
  tools?: Tools;
  /**
   * Max share of the limit, above 0 to 1, for tool definitions: {@link Prepared.tools} are those to send, with shorter
   * descriptions or without tools that were not called for the longest time. Default: definitions stay as they are.
   */
  toolsShare?: number;
  /** With `toolsShare`: the names of tools that stay whole, and how the model gets the others; see `fitTools`. */
  fitTools?: Pick<FitToolsOptions, "keep" | "search">;
  /** The model of this request. Default: that of the previous request. */
  model?: string | ModelLimits;
  /**
   * System prompt of this request, if the format keeps it separate from the messages. Default: that of the previous
   * request.
   */
  system?: string;
  /**
   * Calls at the end that have no result yet: `keep` (default) leaves them in the request, for hosts that add the
   * results themselves; `refuse` throws `pending_calls` before anything happens, since providers refuse such a request.
   */
  pending?: "keep" | "refuse";
  /** Aborting it ends the call, which then throws `aborted`, with the signal's reason as its `cause`. Default: none. */
  signal?: AbortSignal;
}

export interface PrepareReport {
  /** Number of the request, from 1. */
  request: number;
  usage: ContextUsage;
  /** Compactions that made it fit, in order. */
  compactions: Compacted[];
  /** Removals from this request only. */
  trimmed: Removal[];
  /** Repairs of this request, so that its provider accepts it. */
  repaired: Removal[];
  /** As {@link PruneReport.exceeded}. */
  exceeded?: readonly LimitFinding[];
  /** With `toolsShare`: which tool definitions were shortened, and which are deferred. */
  tools?: FitToolsReport;
  /** Number of the job that was started, or is running. */
  job?: number;
  /** True if it fits, but less than two fifths of the room for messages are free. */
  lowHeadroom: boolean;
}

export interface Prepared<T, Tools extends ToolList = ToolList> {
  /** The messages to send. Unchanged messages are the host's own objects. */
  messages: T[];
  /** With `toolsShare`: the tool definitions to send. */
  tools?: Tools;
  /** Answers the model's calls of `load_tools`; present if `tools` contain it. */
  loader?: ToolLoader;
  report: PrepareReport;
}

/** A compaction that has not been applied. Its texts may be edited before {@link Conversation.apply}. */
export interface Plan<T> {
  status: CompactStatus;
  trigger: Trigger;
  edits: Edit[];
  /** The view after the compaction. */
  view: LogView<T>;
  report: CompactReport;
  /** The position in the log at which it was made. */
  since: number;
}

/** The effect of a change of model. */
export interface ModelSwitch<T> {
  /** Tokens of the view by the new model's count. */
  current: number;
  newLimit: number;
  fits: boolean;
  /** The compaction that would be made, without a model's help; absent if the view fits, or for `reason`. */
  plan?: Plan<T>;
  /**
   * Why there is no plan although the view does not fit: `nothing_to_compact` (for example, only the newest request is
   * left), `not_ready` (no model and no step `offline`), or `budget_exceeded` (the messages that must stay are larger
   * than the limit).
   */
  reason?: { code: "nothing_to_compact" | "not_ready" | "budget_exceeded"; message: string };
}

export interface CompactionStart {
  type: "compaction_start";
  trigger: Trigger;
  model?: string;
  limit: number;
  used: number;
  frame: number;
  conversation: number;
  tools: number;
  ratio: number;
  job?: number;
}
export interface CompactionComplete {
  type: "compaction_complete";
  success: boolean;
  status: Compacted["status"];
  error?: string;
  trigger: Trigger;
  focus?: string;
  tokensBefore: number;
  tokensAfter: number;
  tokensRemoved: number;
  messagesBefore: number;
  messagesAfter: number;
  messagesRemoved: number;
  summary?: string;
  edits: string[];
  /** The summary's number and title; the path of its file if the storage keeps one. */
  checkpoint?: { number: number; title: string; path?: string };
  model?: CompactReport["model"];
  /** Name of the model that was asked. */
  llmModel?: string;
  /** The provider's id of its newest request. */
  requestId?: string;
  /** Milliseconds by the host's clock. */
  duration: number;
  quality?: CompactReport["quality"];
  limit: number;
  frame: number;
  conversation: number;
  tools: number;
  job?: number;
}
export type ContextUsageEvent = {
  type: "context_usage";
  isInitial: boolean;
  request: number;
  /** The tokens of the request by kind of content, in our tokens; for a trimmed request, before trimming. */
  split: LogSplit;
  /**
   * The beginning that the request shares with the previous one: it can come from the provider's cache. Absent for the
   * first.
   */
  shared?: { messages: number; tokens: number };
} & ContextUsage;
export interface ContextTrimmed {
  type: "context_trimmed";
  limit: number;
  before: Totals;
  after: Totals;
  removed: Removal[];
  tokensRemoved: number;
  messagesRemoved: number;
  /**
   * `prune`: whole groups were dropped, then results became smaller. `shorten`: messages that must stay were shortened.
   * `render`: a prompt tree dropped its lowest priorities.
   */
  performedBy: "prune" | "shorten" | "render";
}
/** A summary was applied for a request, but the request is still too large. */
export interface CompactionInsufficient {
  type: "compaction_insufficient";
  /** What started the compaction. */
  trigger: Trigger;
  /** Number of the job that made the summary; absent for a summary made in the foreground. */
  job?: number;
  /** Number of the request. */
  request: number;
  /** Max input tokens of the request. */
  limit: number;
  /** True if the request is sent without messages that no summary covers; false if the call throws. */
  isSent: boolean;
}
export interface CompactionProgress {
  type: "compaction_progress";
  stage:
    | "started"
    | "asking"
    | "answered"
    | "waiting"
    | "applied"
    | "parked"
    | "dropped"
    | "cancelled"
    | "failed"
    | "skipped";
  trigger?: Trigger;
  job?: number;
}
/** All messages left the view by {@link Conversation.rewind}. */
export interface ContextCleared {
  type: "context_cleared";
  /** Number of messages that were in the view. */
  messages: number;
  /** The user's first message, up to 200 characters. */
  initialMessage?: string;
}
export interface ConversationWarning {
  type: "warning";
  /**
   * `storage`: something could not be read or written. `bad_log`: lines of the log were invalid; the text that was read
   * is stored aside. `silent_overflow`: the provider cannot have read all of a request, or counts more than its window
   * has. `odd_usage`: a usage report does not match its request, or none of its fields is known; nothing was learned
   * from it. A row of such reports is one warning. `frame_too_large`: system prompt and tools take more than 0.8 of the
   * limit. `model_failed`: twice in a row no summary of the host's model could be used; rules write them meanwhile.
   * `engine`: the engine crashed and was replaced.
   */
  code: "storage" | "bad_log" | "silent_overflow" | "odd_usage" | "frame_too_large" | "model_failed" | "engine";
  message: string;
  details?: unknown;
}
export type ConversationEvent =
  | CompactionStart
  | CompactionComplete
  | CompactionInsufficient
  | CompactionProgress
  | ContextUsageEvent
  | ContextTrimmed
  | ContextCleared
  | ConversationWarning;

/** An event under Copilot CLI's name. */
export interface CopilotCliEvent {
  type:
    | "session.compaction_start"
    | "session.compaction_complete"
    | "session.truncation"
    | "session.context_cleared"
    | "session.usage_info";
  data: Record<string, unknown>;
}

/** An event under the name of Copilot Chat's telemetry. */
export interface CopilotChatEvent {
  type:
    | "summarizedConversationHistory"
    | "backgroundSummarizationApplied"
    | "triggerSummarizeFailed"
    | "triggerSummarizeSkipped";
  data: Record<string, unknown>;
}
/**
 * An event of gemini-cli's stream. `compressionStatus` is its number: 1 compressed, 2 inflated, 3 tokens not counted, 4
 * empty summary, 5 nothing to do, 6 results truncated.
 */
export interface GeminiCliEvent {
  type: "chat_compressed";
  data: { originalTokenCount: number; newTokenCount: number; compressionStatus: number };
}
/** The system whose names events have. */
export type EventProfile = "espalier" | "copilot-cli" | "copilot-chat" | "gemini-cli" | "both";

/** The outcome of opening a conversation. */
export interface Opened {
  /** True if there was no log. */
  isNew: boolean;
  /** The report on reading the log. */
  log?: LogReport;
  /** Names of logs in the storage that other conversations have written beside this one's; absent if there are none. */
  sideLogs?: string[];
  /** Number of a job that was running when the conversation was left; it counts as failed. */
  interrupted?: number;
}

/** Tokens of all requests as providers reported them, since the log began, and the current state. */
export interface ConversationUsage extends ContextUsage {
  requests: number;
  reported: Usage;
  job: "idle" | "running" | "ready" | "parked" | "failed";
}
