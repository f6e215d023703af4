/**
 * The contract between hosts, adapters and the core. Everything that crosses the wasm boundary is declared here once;
 * `src/message`, `src/history` and `src/compact` hold the Rust twins (camelCase on this side).
 */

// ---------------------------------------------------------------- the neutral conversation model

/** Who speaks. `system` and `developer` messages form the frame of a request, which is never edited. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One message as the core sees it. The host's own object stays in JavaScript, addressed by `id`. */
export interface NeutralMessage {
  /** Unique in the conversation. Adapters use `m<index>`, and `system` for a system prompt that the format keeps apart. */
  id: string;
  role: Role;
  name?: string;
  parts: Part[];
}

export type TextPart = { type: "text"; text: string };
/** `arguments` is the JSON text as it is sent. */
export type ToolCallPart = { type: "toolCall"; callId: string; name: string; arguments: string };
/** `content` holds text, image, document and opaque parts. */
export type ToolResultPart = { type: "toolResult"; callId: string; name?: string; content: Part[]; isError?: boolean };
export type ReasoningPart = { type: "reasoning"; text: string };
/** `data` is base64 without a `data:` prefix; adapters pass at most the first 131,072 characters, the core reads the header only. */
export type ImagePart = { type: "image"; mediaType?: string; data?: string; url?: string; detail?: string };
/** `dataLength` is the length of the base64 text in characters (0 if the document is only referenced). */
export type DocumentPart = { type: "document"; mediaType?: string; dataLength: number; pages?: number };
/** Something the core does not know: counted by its JSON text, or by the `tokens` the host declares. */
export type OpaquePart = { type: "opaque"; json: string; tokens?: number };
/** A cache breakpoint. Costs nothing. */
export type CacheMarkPart = { type: "cacheMark" };

export type Part =
  | TextPart | ToolCallPart | ToolResultPart | ReasoningPart | ImagePart | DocumentPart | OpaquePart | CacheMarkPart;

/** A tool definition as far as counting needs it. `schema` is the parameter schema as compact JSON text. */
export interface NeutralTool {
  name: string;
  description?: string;
  schema?: string;
}

// ---------------------------------------------------------------- plans

/** What to do with one message. Items come in the order of the resulting conversation. */
export type PlanItem =
  /** The host's own object, untouched (`===`). */
  | { type: "keep"; id: string }
  /** A copy of the host's object, with these parts changed; parts that are not named go, the others stay in order. */
  | { type: "edit"; id: string; parts: PartEdit[] }
  /** A message that the host did not have. */
  | { type: "insert"; message: NeutralMessage };

/**
 * `part` is the index in the neutral message's `parts`. A call or result that gets another id as well as another content has both in one
 * edit.
 */
export type PartEdit =
  | { type: "keep"; part: number }
  /** Replaces the text of a text or reasoning part, or the whole content of a tool result, by one text. */
  | { type: "text"; part: number; text: string; callId?: string }
  /** Replaces the JSON text of a call's arguments. */
  | { type: "arguments"; part: number; arguments: string; callId?: string }
  /** Replaces some of what a tool result holds: one item for each part of its content, in order. */
  | { type: "content"; part: number; items: ItemEdit[]; callId?: string }
  /** Puts a text in the place of a picture or document. */
  | { type: "note"; part: number; text: string }
  /** Gives a call or result another call id. */
  | { type: "callId"; part: number; callId: string };

/** What to do with one part of a tool result's content. */
export type ItemEdit = { type: "keep" } | { type: "text"; text: string };

// ---------------------------------------------------------------- options and reports

export type Format =
  | "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "vscode" | "ai-sdk" | "espalier";
export type EncodingName = "o200k_base" | "cl100k_base";
export type CostModelName = "espalier" | "copilot-chat" | "copilot-chat-extension";

/** How messages are read and counted. */
export interface CountOptions {
  /** Found out from the messages when absent. */
  format?: Format;
  /** Wins over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /** A model name; picks the encoding. Unknown names get `o200k_base`, and the report's `origin` says so. */
  model?: string;
  /** Default `espalier`. */
  costModel?: CostModelName;
  /** Tool definitions sent with the request, in the format of the messages. */
  tools?: readonly unknown[];
}

/**
 * How a number came about: counted with the model's own public encoding; predicted from the provider's reports; with a stand-in
 * encoding, since the model has no public one; guessed, since something in it cannot be counted (a remote picture).
 */
export type Origin = "exact" | "calibrated" | "prior" | "estimate";

/** Tokens of a request, split. `total` is the sum of the others. */
export interface Totals {
  messages: number;
  /** The whole request: frame + conversation + tools + list overhead. */
  total: number;
  frame: number;
  conversation: number;
  tools: number;
}

export interface CountReport extends Totals {
  encoding: EncodingName;
  costModel: CostModelName;
  origin: Origin;
  perMessage: { id: string; role: Role; tokens: number }[];
  perTool: { name: string; tokens: number }[];
}

/** What a share of a request is shown as. */
export type Label = "System" | "Tool Definitions" | "Messages" | "Files" | "Tool Results";

export interface BreakdownOptions extends CountOptions {
  /** Tokens of the context window, those kept for the answer, and those at which the host stops to send. */
  room?: { window?: number; outputReserve?: number; blockLine?: number; /** The provider's own count, which wins over ours. */ reported?: number };
  /** Tags of user text and what they hold; default: a dozen common ones. */
  tags?: Readonly<Record<string, Label>>;
}

/** Where the tokens of a request go: what a context meter shows. `shares` sum to our own count. */
export interface Breakdown {
  total: number;
  origin: Origin;
  shares: { label: Label; tokens: number; percent: number }[];
  /** What each tool costs. */
  tools: { name: string; tokens: number }[];
  /** Tokens left in the window, the reserve taken off; 0 if the window is not known. */
  free: number;
  outputReserve: number;
  blockLine: number;
}

export interface PruneOptions extends CountOptions {
  /** Input tokens the request may have, tool definitions included. A whole number >= 0. */
  budget: number;
  /** Tokens to leave free below the budget. Default 0. */
  headroom?: number;
  /** Ids (or indices) of messages that must stay. */
  keep?: readonly (string | number)[];
  /** Re-admit older groups that still fit whole, newest first. Default false. */
  backfill?: boolean;
}

/** Why something went or changed. */
export interface Removal {
  /** Ids of the messages, in order. */
  ids: string[];
  /** `orphan-result`, `lost-call`, `empty`, `old-round`, `old-turn`, `current-round`, … */
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

export interface PruneReport {
  budget: number;
  encoding: EncodingName;
  costModel: CostModelName;
  origin: Origin;
  before: Totals;
  after: Totals;
  /** Everything that went or changed, in the order in which it was decided. */
  removed: Removal[];
  /** One row for every message of the input and every inserted one, in order. */
  messages: MessageFate[];
}

export interface PruneResult<T> {
  /** The same shape as what was passed in (array or request object); untouched messages are the caller's own objects. */
  messages: T;
  report: PruneReport;
}

// ---------------------------------------------------------------- compaction

/** What the host's model is asked. */
export interface LlmRequest {
  /** Counts up within one compaction. */
  id: number;
  purpose: "summary";
  /** The instructions. */
  system: string;
  /** The history as tagged text, and what is wanted. */
  prompt: string;
  /** The same two as chat messages. */
  messages: { role: "system" | "user"; content: string }[];
  /** Tokens the answer may have. */
  maxTokens: number;
  temperature: number;
  /** Tokens of `system` + `prompt`, counted. */
  promptTokens: number;
}
export interface LlmReply {
  text: string;
  usage?: Record<string, unknown>;
  finishReason?: string;
}
/** Supplied by the host: sends the request to a model and gives back its text. */
export type Llm = (request: LlmRequest, context: { signal: AbortSignal }) => Promise<LlmReply | string>;

export interface CompactOptions extends CountOptions {
  /** Input tokens the result may have, tool definitions included. */
  budget: number;
  /** Without it the summary is made by rules alone. */
  llm?: Llm;
  /** What to pay special attention to. */
  focus?: string;
  /** Compact even if the conversation fits its budget. Default false. */
  force?: boolean;
  /** What to do when the model fails: `leave` (default) changes nothing, `offline` summarises by rules. */
  onFailure?: "leave" | "offline";
  /** Ids (or indices) of messages that must stay verbatim. */
  keep?: readonly (string | number)[];
  signal?: AbortSignal;
  /** Input tokens that the summarising model takes. Default: `budget`. */
  llmBudget?: number;
  /** Milliseconds for each model call. Default 120,000. */
  timeout?: number;
  onProgress?: (event: CompactProgress) => void;
}
export type CompactProgress =
  | { type: "model"; id: number; promptTokens: number }
  | { type: "answered"; id: number; characters: number };

export type CompactStatus =
  | "applied"            // the conversation was compacted
  | "unchanged"          // it fits its budget already
  | "nothing_to_compact" // too little to cover, and it fits
  | "model_failed" | "timeout" | "cancelled"
  | "empty_summary" | "no_summary_tag" | "tool_call_instead"
  | "inflated" | "no_gain";

/** One recorded change of what the model gets to see. The history itself is never rewritten. */
export interface Edit {
  id: string;
  kind: "replace_range" | "drop" | "truncate";
  /** Ids of the messages it hides or changes. */
  targets: string[];
  rule: string;
  author: "rule" | "model";
  tokensBefore: number;
  tokensAfter: number;
  /** The summary message of a `replace_range`. */
  message?: NeutralMessage;
  /** Id of the message in front of which the summary stands. */
  before?: string;
  /** The shortened texts of a `truncate`, by message and part. */
  texts?: { message: string; part: number; text: string }[];
}

export interface CompactReport extends PruneReport {
  status: CompactStatus;
  /** The ladder's steps in order, with what came of each. */
  steps: { step: string; outcome: "applied" | "no_gain" | "skipped" | "failed"; tokensBefore: number; tokensAfter: number; why: string }[];
  /** The text that stands for the covered messages. */
  summary?: string;
  /** Ids of messages that the summary stands for. */
  covered: string[];
  /** Present when a model was asked. */
  model?: { calls: number; promptTokens: number; usage: Record<string, unknown>[]; error?: string };
}
export interface CompactResult<T> {
  status: CompactStatus;
  messages: T;
  edits: Edit[];
  report: CompactReport;
}
