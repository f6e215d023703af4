/** What hosts pass to a conversation, and what it tells them. */

import type { SearchLoader } from "../log/loader.ts";
import type { LogReport, LogSplit, LogView } from "../log/types.ts";
import type { Clock } from "../providers/types.ts";
import type { CompactHooks, CompactOptions, Trigger } from "../types/compact.ts";
import type { CompactReport, CompactStatus, Edit } from "../types/compact-report.ts";
import type { CountOptions, Origin, Totals } from "../types/count.ts";
import type { Format, ToolList } from "../types/messages.ts";
import type { LimitSource, ModelLimits, Removal } from "../types/prune.ts";
import type { Llm } from "../types/llm.ts";
import type { ProfileFields, ProfileName } from "../types/profile.ts";
import type { Provider } from "../types/validity.ts";
import type { Usage } from "../types/cache.ts";
import type { Session } from "../sessions/types.ts";
import type { ConversationStorage } from "./storage.ts";

export interface ConversationOptions<T> extends Omit<CountOptions, "model" | "format"> {
  /**
   * Messages that the conversation has so far. With a log (`log`, or what the storage holds): all messages of that log,
   * in order, as the host's own objects; without them they are made again from what was stored.
   */
  messages?: readonly T[];
  /**
   * Goes on from a session file of another agent: its live context, format, model, system prompt and tools where the
   * file holds them, and the usage that it recorded, which anchors the counts. Other options win. It begins a new
   * conversation; a stored one goes on as it is.
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
  /** The lines of a log to go on with. What the storage holds wins. */
  log?: string;
  /** Where the conversation is kept. Without it nothing is. */
  storage?: ConversationStorage;
  /** Found out from `messages` when absent; needed without any. */
  format?: Format;
  /** A model's name, or what is known of it. */
  model?: string | ModelLimits;
  /** Default `espalier`. */
  profile?: ProfileName | ProfileFields;
  /**
   * Whose rules requests keep. Default: as the format says; neutral messages and the AI SDK's are for nobody until it
   * is said, and only paired.
   */
  provider?: Provider;
  /** System prompt, where the format keeps it apart from the messages: it is counted with every request. */
  system?: string;
  /** Writes summaries. Without it they are made by rules alone. */
  llm?: Llm;
  /**
   * The user's own threshold: a share of the model's limit up to 1, or tokens from 100 on. It lowers the limit for all
   * decisions.
   */
  threshold?: number;
  /** The context size that the user picked, in tokens; only ever less than the model's own. */
  contextSize?: number;
  /**
   * Use all that the model takes rather than its default tier (`model.defaultTier`), where that costs no more. Default
   * false.
   */
  preferLongContext?: boolean;
  /**
   * Compact without being asked. Without it stored summaries count all the same, and a request that is too large is
   * pruned. Default true.
   */
  automatic?: boolean;
  /**
   * The server manages the context by its own settings, which you send along: nothing is compacted or left out unless
   * you ask for it or the provider refuses a request, and usage is what the provider reports. Its compaction items go
   * back as they came. Default false.
   */
  serverManaged?: boolean;
  /** Make summaries beside the conversation. Default: as the profile does. */
  background?: boolean;
  /** What jitter is drawn from. The same log and entropy decide alike. Default: drawn once, and kept in the log. */
  entropy?: string | number;
  /** Time as the host has it; only timeouts and the time of entries depend on it. */
  clock?: Partial<Pick<Clock, "now" | "after">>;
  /**
   * Milliseconds: to wait for a running job, for one call of the model, for each hook and file, for each operation of
   * the storage. Default: the profile's (60,000, 120,000 and 10,000), and 5,000.
   */
  timeouts?: { wait?: number; model?: number; hook?: number; storage?: number };
  /** Stored summaries to keep as files, the newest; 0 for none. Default 20. */
  checkpoints?: number;
  /** Called before and after every compaction, whatever began it; those of {@link compact}. */
  hooks?: CompactHooks;
  /** Options for every compaction as {@link compact} takes them: ledger rules, `llmBudget`. */
  compact?: Omit<
    CompactOptions,
    keyof CountOptions | "budget" | "llm" | "signal" | "focus" | "force" | "timeout" | "onProgress"
  >;
  /** Called with every event; as `conversation.on("*", …)`, but from the beginning. */
  onEvent?: (event: ConversationEvent | CopilotCliEvent | CopilotChatEvent | GeminiCliEvent) => void;
  /**
   * The names and fields of another system for the events that it has, too; the others keep theirs. `both` has Copilot
   * CLI's beside Espalier's. Default `espalier`.
   */
  eventNames?: EventNames;
  /**
   * Loads the engine that {@link Conversation.search} uses: `() => import("espalier/search")`. Default in Node: the
   * package's own.
   */
  search?: SearchLoader;
}

/** Tokens of the next request. */
export interface ContextUsage {
  /** Input tokens that a request may have, as ratios are reckoned. */
  limit: number;
  limitSource: LimitSource | "threshold" | "contextSize" | "defaultTier";
  /** Tokens of the view, as the provider is expected to count them, its possible error included. */
  used: number;
  /** The error that is included. */
  bound: number;
  origin: Origin;
  /**
   * What is expected, `used` without `bound`, as a share of `limit`: triggers go by it. With profiles that go by the
   * server's counts, what it counted last (see `Profile.measured`).
   */
  ratio: number;
  messages: number;
  frame: number;
  conversation: number;
  tools: number;
}

/** One compaction of a conversation. */
export interface Compacted {
  /**
   * `not_ready`: there is nothing to be sent yet, or nobody who could summarise: no model, and the ladder is without
   * `offline`. `count_failed`: the `tokenizer` of the options threw, or returned no number; the history is as it was.
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
  /** Trying again may help. */
  retryable: boolean;
  /** Ids of the edits, to undo them. */
  edits: string[];
  before: Totals;
  after: Totals;
  /** Number of the summary: its row in {@link Conversation.checkpoints}. */
  checkpoint?: number;
  report?: CompactReport;
  error?: string;
  /** Behind a job: its number. */
  job?: number;
  /** By hand: what one that begins by itself would have waited for, or gone without. */
  bypassed?: "offline" | "cutOnly" | "notYet" | "blocked";
}

export interface PrepareOptions {
  /** Tool definitions of this request, in the format of the messages. Default: those of the request before. */
  tools?: ToolList;
  /** The model of this request. Default: that of the request before. */
  model?: string | ModelLimits;
  /**
   * System prompt of this request, where the format keeps it apart from the messages. Default: that of the request
   * before.
   */
  system?: string;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

export interface PrepareReport {
  /** Number of the request, from 1. */
  request: number;
  usage: ContextUsage;
  /** What happened to make it fit, in order. */
  compactions: Compacted[];
  /** Left out of this request only. */
  trimmed: Removal[];
  /** Repaired for this request, so that its provider does not refuse it. */
  repaired: Removal[];
  /** Number of the job that was started, or is running. */
  job?: number;
  /** It fits, but less than two fifths of the room for messages are free. */
  lowHeadroom: boolean;
}

export interface Prepared<T> {
  /** To be sent. What was not changed is the host's own object. */
  messages: T[];
  report: PrepareReport;
}

/** A compaction that has not been applied. Its texts may be edited before {@link Conversation.apply}. */
export interface Plan<T> {
  status: CompactStatus;
  trigger: Trigger;
  edits: Edit[];
  /** The view as it would be. */
  view: LogView<T>;
  report: CompactReport;
  /** The position in the log that it was made at. */
  since: number;
}

/** What a change of model would mean. */
export interface ModelSwitch<T> {
  /** Tokens of the view as the new model counts them. */
  current: number;
  newLimit: number;
  fits: boolean;
  /** What would be compacted, without a model's help; absent if the view fits, or for `reason`. */
  plan?: Plan<T>;
  /**
   * Why there is no plan although the view does not fit: `nothing_to_compact` (only the newest request is left, say),
   * `not_ready` (no model and no step `offline`), or `budget_exceeded` (what must stay is larger than the limit).
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
  /** What the provider called the newest request for it. */
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
  /** The request by what it is spent on, in our tokens; of one that was trimmed, as it would have been without. */
  split: LogSplit;
  /** What the request begins with as the one before did: it can come from the provider's cache. Absent of the first. */
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
   * `prune`: whole groups went, then results became smaller. `shorten`: what must stay was shortened. `render`: a
   * prompt tree left out what has the lowest priority.
   */
  performedBy: "prune" | "shorten" | "render";
}
/** A summary was put to use for a request, and the request is still too large. */
export interface CompactionInsufficient {
  type: "compaction_insufficient";
  /** What started the compaction. */
  trigger: Trigger;
  /** Number of the job that made the summary; absent for a summary made in the foreground. */
  job?: number;
  /** Number of the request. */
  request: number;
  /** Input tokens that the request may have. */
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
  /** Messages that were in the view. */
  messages: number;
  /** The first of the user's, its first 200 characters. */
  initialMessage?: string;
}
export interface ConversationWarning {
  type: "warning";
  /**
   * `storage`: something could not be read or written. `bad_log`: lines of the log were not what they should be; what
   * was read is kept aside. `silent_overflow`: the provider cannot have read all of a request, or counts more than its
   * window has. `odd_usage`: a usage report does not go with its request; nothing was learned from it. A row of such
   * reports is one warning. `frame_too_large`: system text and tools take more than 0.8 of the limit. `engine`: the
   * engine crashed and was replaced.
   */
  code: "storage" | "bad_log" | "silent_overflow" | "odd_usage" | "frame_too_large" | "engine";
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

/** An event as Copilot CLI names it. */
export interface CopilotCliEvent {
  type:
    | "session.compaction_start"
    | "session.compaction_complete"
    | "session.truncation"
    | "session.context_cleared"
    | "session.usage_info";
  data: Record<string, unknown>;
}

/** An event as Copilot Chat's telemetry names it. */
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
/** Whose names events have. */
export type EventNames = "espalier" | "copilot-cli" | "copilot-chat" | "gemini-cli" | "both";

/** What came of opening a conversation. */
export interface Opened {
  /** Whether there was a log. */
  isNew: boolean;
  /** How reading it went. */
  log?: LogReport;
  /** Number of a job that was running when the conversation was left, and counts as failed. */
  interrupted?: number;
}

/** Tokens of all requests as providers reported them, and the state of things. */
export interface ConversationUsage extends ContextUsage {
  requests: number;
  reported: Usage;
  job: "idle" | "running" | "ready" | "parked" | "failed";
}
