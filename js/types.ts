/**
 * The contract between hosts, adapters and the core. Everything that crosses the wasm boundary is declared here once;
 * `src/message`, `src/history` and `src/compact` hold the Rust twins (camelCase on this side).
 */

import type { HostTokenizer } from "./tokens/host-tokenizer.ts";
import type { LogEdit } from "./log/types.ts";
import type { StoreResult } from "./results/storing.ts";
import type { OffloadEvent } from "./results/truncate.ts";

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
export type PlanItem = { /** It becomes one message with the item before it, where the format knows how. */ joins?: boolean } & (
  /** The host's own object, untouched (`===`). */
  | { type: "keep"; id: string }
  /** A copy of the host's object, with these parts changed; parts that are not named go, the others stay in order. */
  | { type: "edit"; id: string; parts: PartEdit[] }
  /** A message that the host did not have. */
  | { type: "insert"; message: NeutralMessage });

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
  | { type: "callId"; part: number; callId: string }
  /** The host's own part `part` of another message, which comes first here: the thought of a turn of which a summary took the beginning. */
  | { type: "carried"; from: string; part: number };

/** What to do with one part of a tool result's content. */
export type ItemEdit = { type: "keep" } | { type: "text"; text: string };

// ---------------------------------------------------------------- options and reports

export type Format =
  | "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "vscode" | "ai-sdk" | "raw" | "espalier";
/** Tool definitions in any provider's form: a list, or an object by name as the AI SDK has it. */
export type ToolList = readonly unknown[] | Readonly<Record<string, unknown>>;
export type EncodingName = "o200k_base" | "cl100k_base";
export type CostModelName = "espalier" | "copilot-chat" | "copilot-chat-extension";

/** How messages are read and counted. */
export interface CountOptions {
  /** Found out from the messages when absent. */
  format?: Format;
  /** Wins over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /**
   * Counts texts in place of an encoding, for models whose tokenizer is yours: Llama, Mistral, a server's own. Texts are
   * counted one by one and synchronously; counts are remembered. No vocabulary is loaded. What it throws reaches you.
   *
   * ```ts
   * import { countMessages } from "espalier";
   *
   * const messages = [{ role: "user", content: "Why does the build fail?" }];
   * countMessages(messages, { tokenizer: (text) => text.split(/\s+/).length }).encoding; // => "host"
   * ```
   */
  tokenizer?: HostTokenizer;
  /** A model name; picks the encoding. Unknown names get `o200k_base`, and the report's `origin` says so. */
  model?: string;
  /** Default `espalier`. */
  costModel?: CostModelName;
  /**
   * Tool definitions sent with the request, in the format of the messages. Default: those of the request, if one was
   * passed.
   */
  tools?: ToolList;
  /** How the model counts pictures. Default: by `model`, else by the format's provider; OpenAI's usual tiles if neither says. */
  images?: ImageModel;
  /** Asked for the size of pictures whose data do not tell it (remote ones, other file types). Without an answer a large one is assumed. */
  imageSize?: (image: { url?: string; data?: string; mediaType?: string }) => { width: number; height: number } | undefined;
}

/**
 * How a provider counts pictures: OpenAI's tiles (`tile` tokens for each, and `base`) or patches (times `factor`), by area
 * (`anthropic`), by large tiles (`gemini`), or flat (`gemini-cli`, PDFs included).
 */
export type ImageModel =
  | "openai-tiles" | "openai-patches" | "anthropic" | "gemini" | "gemini-cli"
  | { kind: "openai-tiles"; base: number; tile: number }
  | { kind: "openai-patches"; factor: number };

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
  /** What counted: an encoding, or `host` for a tokenizer of the host's own. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
  origin: Origin;
  perMessage: { id: string; role: Role; tokens: number }[];
  perTool: { name: string; tokens: number }[];
}

/** What tool definitions cost. `total` is `overhead` and the sum of `perTool`. */
export interface ToolsReport {
  total: number;
  /** What having any tools costs; 0 without tools. */
  overhead: number;
  perTool: { name: string; tokens: number }[];
  origin: Origin;
  /** What counted: an encoding, or `host` for a tokenizer of the host's own. */
  encoding: EncodingName | "host";
  costModel: CostModelName;
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
  /** Input tokens that the model is used with unless more is wanted; conversations stay within it (see `preferLongContext`). */
  defaultTier?: number;
  /** More than the default tier costs more: it is never used unless the user picks it. Default false. */
  surcharge?: boolean;
}

/**
 * One pass of pruning: single results over a quarter of the limit; turns before the newest request, of the last one its oldest rounds only;
 * rounds before the newest request; older requests with what is left of their turns; rounds after the newest request; results in what is
 * left, to one common level; long arguments of old calls; pictures and documents outside the newest round.
 */
export type PrunePass = "oversize" | "turns" | "rounds" | "requests" | "currentRounds" | "results" | "arguments" | "media";

/** Nothing in it is drawn: the same input gives the same request, so there is no seed to give. */
export interface PruneOptions extends Omit<CountOptions, "model"> {
  /**
   * Input tokens the request may have, tool definitions included. A whole number >= 0. Without it the limit is that of `model`: as stated,
   * else by its name (gpt-4, gpt-3.5 and Claude), else 128,000. `report.limitSource` says which.
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
  /** `drop` (default), `shrink` (results get smaller before anything is dropped), or passes in order; one that is not named is skipped. */
  order?: "drop" | "shrink" | readonly PrunePass[];
  /** Priorities of messages by id (`m<index>`), 0 for all others: inside a pass the lowest goes first. */
  priorities?: Readonly<Record<string, number>>;
  /** Put a line into the next message of the user that says how much was left out, and where it is. Default false. */
  note?: boolean;
  /**
   * Share of the limit, 0 to 1, for sentences of the dropped messages: whole sentences, chosen by how much they say for their tokens, in a note
   * in front of the first thing that the user says in the result (see `report.notes`). They also take what is too little for one more
   * turn. For talk in which facts matter more than whole messages; sentences are chosen anew for each request. Default 0: none.
   */
  sentenceShare?: number;
  /** `report.cut` of the previous request: what went then stays away while that fits, so that both begin alike for the provider's cache. */
  previous?: PruneCut;
  /** Share of the limit by which a cut moves at least when it must move, 0 to 1. With 0.1 the cache breaks once in many requests. Default 0. */
  cacheStep?: number;
  /** Media that go whatever the request costs, for providers that refuse its bytes. Default `none`. */
  dropMedia?: DropMedia;
  /**
   * Bytes that the pictures in the results of one turn may have together: the newest stay, older ones become notes, whatever the request
   * costs. Default 2,621,440 (2.5 MiB); `Infinity` for no limit. Pictures by address do not count.
   */
  maxImageBytes?: number;
  /**
   * Whom the request is for, as far as costs of messages and pictures go, and what may stay as it is: OpenAI takes blank messages of the
   * user, and with Responses results behind later calls. Default: as the format of the messages says. What comes out pairs up and is told
   * apart as all providers want it otherwise; {@link repair} mends what else a provider would refuse in your own messages.
   */
  provider?: Provider;
  /**
   * The server manages the context. {@link request} sends everything then, and cuts only what was refused. Compaction items of servers stay
   * with what follows them either way.
   */
  serverManaged?: boolean;
}

/** `old`: outside the newest round and the newest request. `all`: all but what the user says in the newest request. */
export type DropMedia = "none" | "old" | "all";

/** What a request was cut to: plain data to keep until the next request. */
export interface PruneCut {
  limit: number;
  gone: { first: string; last: string; mark: string }[];
  shortened: ({ id: string; part: number; item?: number } & ({ how: "oversize" | "result"; limit: number } | { how: "arguments" | "media" }))[];
  /** Fingerprints of the messages as sent, 8 characters each. */
  sent: string;
}

/** What two requests in a row have in common. */
export interface SharedMessages {
  /** Messages that both begin with. */
  messages: number;
  tokens: number;
  /**
   * Where this request differs first; absent if it begins with the whole previous one. Without `rule` it is the host's own messages that
   * are not what they were.
   */
  differs?: { at: number; id?: string; rule?: string };
}

/** Why something went or changed. */
export interface Removal {
  /** Ids of the messages, in order. */
  ids: string[];
  /**
   * `orphan-result`, `lost-call`, `double-id`, `empty`, `heavy-picture`, `audience`; `old-turn`, `old-round`, `old-request`, `current-round`; `oversize-result`, `long-result`,
   * `long-arguments`, `media`; `same-result`, `repeated-read`, `edited-read`, `failed-attempt`, `clear`, `clear-arguments`, `reasoning`,
   * `capped-result`; `summary`, `long-request`, `long-earlier-record`, `long-record`; …
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
 * Who said what the limit is. `modelName`: nobody, but the window of a model of this name is known. `assumedLimit`: nobody. `learned`: the
 * provider, when it refused an earlier request.
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
  /** The same shape as what was passed in (array or request object); untouched messages are the caller's own objects. */
  messages: T;
  report: PruneReport;
}

// ---------------------------------------------------------------- results of tools

/** What both ways to make room among the results of a conversation have in common. */
export interface ResultsOptions extends CountOptions {
  /** Ids or indices of messages whose results stay whole. */
  keep?: readonly (string | number)[];
  /**
   * Tools whose results stay whole. Default: none for budgets and for `anthropic`; for clearing todo lists, plans, questions, memory and
   * skills; gemini-cli's own list for its masking.
   */
  exempt?: readonly string[];
  /**
   * Stores a whole result before it goes; the handle it gives stands in the result's place. Without it the handle is the id of the message,
   * whose original is yours. Where storing fails the handle is the id as well; with `gemini-cli` the result stays as it is then.
   */
  store?: StoreResult;
  /** Milliseconds after which a store that does not answer has failed, and is not asked again. Default 5,000. */
  timeout?: number;
  /** Called when a result was stored, or could not be. Default: nobody listens. */
  onEvent?: (event: OffloadEvent) => void;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
  /** As {@link PruneOptions.maxImageBytes}; with `gemini-cli` no limit by default. */
  maxImageBytes?: number;
}

export interface BudgetResultsOptions extends ResultsOptions {
  /** Tokens that all results may have together. Required, but for `gemini-cli`, which has 50,000. */
  budget?: number;
  /**
   * `water-level` (default): one level over all, the newest round weighing 4, the one before 2, older ones 1; small ones stay whole.
   * `newest-first` (that of `gemini-cli`): from the newest on, whatever crosses the budget is cut to `cap`; older small ones stay whole. What is left
   * of those that were cut adds up, so that all together may have more than the budget.
   */
  rule?: "water-level" | "newest-first";
  /** `report.level` of the last call: it only falls, so that what was cut stays as it is. */
  level?: number;
  /** What a result is cut to by `newest-first`. Default: a quarter of the budget; with `gemini-cli` 40,000, in UTF-16 code units. */
  cap?: number;
  /** `gemini-cli` estimates instead of counting, and uses its own words. */
  profile?: "espalier" | "gemini-cli";
}

export interface ClearResultsOptions extends ResultsOptions {
  /**
   * | profile | above | newest | rounds | protect | atLeast |
   * |---|---|---|---|---|---|
   * | `espalier` (default) | 0 | 3 | 2 | 0.2 of what messages may have, at most 40,000 | 0.1 of it, at most 20,000 |
   * | `anthropic` | 100,000 | 3 | 0 | 0 | 0 |
   * | `gemini-cli` | 0 | 0 | 0 | 50,000 | 30,000, notes not taken off |
   *
   * `gemini-cli` masks: it estimates instead of counting, leaves the latest turn out, and its notes are previews.
   */
  profile?: "espalier" | "anthropic" | "gemini-cli";
  /** Tokens that the request may have: `protect` and `atLeast` are shares of what its messages may have then. */
  budget?: number;
  /** Nothing is cleared in a request of no more tokens. */
  above?: number;
  /** So many of the newest results stay. */
  newest?: number;
  /** The results of so many of the newest rounds stay. */
  rounds?: number;
  /** From the newest on, results stay up to so many tokens. */
  protect?: number;
  /** All that can be cleared is cleared together, and only if that frees so many tokens: each time costs a cached prefix. */
  atLeast?: number;
  /** With `gemini-cli`: leave the latest turn out. Default true. */
  protectLatest?: boolean;
}

/** A result that was cut or cleared. */
export interface GoneResult {
  message: string;
  /** Index among the parts of the message, as {@link NeutralMessage} has them. */
  part: number;
  /** Index in the result's content, where that is not one text. */
  item?: number;
  callId: string;
  tool?: string;
  /** Tokens of its text, as the profile counts them. */
  before: number;
  after: number;
  /** Where the whole is: what `store` said, else the id of the message. */
  recall: string;
}

export interface ResultsReport extends Omit<CutReport, "budget"> {
  /**
   * `small_gain`: what could be cleared would free too little. `under_cap`: all results together are over the budget, and none of them is over
   * the cap or may be shortened, so that nothing changes.
   */
  outcome: "changed" | "within_budget" | "under_cap" | "small_gain";
  /** All results together, as the profile counts them. */
  results: { count: number; before: number; after: number };
  gone: GoneResult[];
  /** The water level, if one was needed: pass it to the next call. */
  level?: number;
}

export interface ResultsResult<T> {
  /** The same shape as what was passed in (array or request object); untouched messages are the caller's own objects. */
  messages: T;
  /** The change as an edit that a `ConversationLog` of the same messages takes; none if nothing changed. */
  edits: LogEdit[];
  report: ResultsReport;
}

// ---------------------------------------------------------------- compaction

/**
 * How the history is put to the model: `fork`, the running request as it is and one more message (a warm cache pays for most of it);
 * `full`, the covered messages as messages between instructions; `simple`, the history as text in one message.
 */
export type LlmShape = "fork" | "full" | "simple";

/** What the host's model is asked. Whatever it answers, no tool may run. */
export interface LlmRequest {
  /** What the request is for, as services that sort requests by purpose name it. */
  tag: "conversation-compaction";
  /** Counts up within one compaction. */
  id: number;
  /** `verify`: the first summary has gaps, which the last message names, and a better one is wanted. `handoff`: see {@link summarize}. */
  purpose: "summary" | "verify" | "handoff";
  shape: LlmShape;
  /**
   * The format of `messages`: that of the conversation, where messages that did not change are the host's own objects; of a `simple`
   * request `openai-chat`.
   */
  format: Format;
  /** What is sent, in order, instructions included. */
  messages: any[];
  /** Of a fork, where the host passed a request: that request with `messages` in it. */
  request?: Record<string, unknown>;
  /** The definitions of the host, where the messages have calls in them. They explain the calls; `params.toolChoice` forbids new ones. */
  tools?: readonly unknown[];
  /** Settings of the request; what is absent is as in the running request. */
  params: { maxTokens?: number; temperature?: number; toolChoice?: "none" };
  /** The instructions by themselves; empty for a fork. */
  system: string;
  /** The last message by itself. Of a `simple` request, all there is beside the instructions. */
  prompt: string;
  /** Tokens the answer may have; absent for a fork. */
  maxTokens?: number;
  temperature?: number;
  /** Tokens of the whole request, counted. */
  promptTokens: number;
  signal: AbortSignal;
  /** What the host called this compaction. */
  jobId?: string;
}
export interface LlmReply {
  /** `null`, as SDKs have it for an answer without text, is an empty answer. */
  text: string | null;
  /** As the provider reported it. */
  usage?: object | null | undefined;
  finishReason?: string | null | undefined;
  /** What the provider calls the request, for its support, and what a service in front of it does. */
  requestId?: string;
  serviceRequestId?: string;
}
/** Supplied by the host: sends the request to a model and gives back its text. */
export type Llm = (request: LlmRequest, context: { signal: AbortSignal }) => Promise<LlmReply | string>;

/** What of the covered messages a model was not shown, pictures and thoughts aside. */
export interface Reduced {
  tokens: number;
  /** Results that were shortened, and results that were only named. */
  shortened: number;
  leftOut: number;
  /** Calls whose arguments were shortened. */
  arguments: number;
  /** Messages that were not even named. */
  messages: number;
}

export interface CompactOptions extends CountOptions {
  /** Input tokens the result may have, tool definitions included. */
  budget: number;
  /**
   * How much of the budget the result fills, as a share between 0 and 1 of what messages may use. Default: the profile's `shares.target`
   * (0.97: all that the history fills). `shares.ongoing` (0.40) in a conversation that goes on, whose next turns need the rest, and with
   * `force` where the conversation fits its budget.
   */
  target?: number;
  /**
   * Whose rules the result keeps where it was made to fit, and requests for summaries. Default: as the format says; neutral messages and
   * the AI SDK's are for nobody until it is said, and only paired.
   */
  provider?: Provider;
  /** Without it the summary is made by rules alone. */
  llm?: Llm;
  /** What the summary should pay special attention to, in words. Default: nothing. */
  focus?: string;
  /** Compact even if the conversation fits its budget. Default false. */
  force?: boolean;
  /**
   * What to do when the model fails: `offline` (default) summarises by rules; `leave` changes nothing, and throws `compaction_failed` if the
   * request does not fit its budget.
   */
  onFailure?: "leave" | "offline";
  /** Ids (or indices) of messages that must stay verbatim. Default: none beyond what always stays. */
  keep?: readonly (string | number)[];
  /** Aborting it ends the call: the status is `cancelled`, and nothing changes. Default: nothing ends it. */
  signal?: AbortSignal;
  /**
   * Input tokens that the summarising model takes. Default: as `llmModel` says; else the whole history is tried, and less of it each time the
   * model refuses a request as too long. `report.model.reduced` says what the model was not shown.
   */
  llmBudget?: number;
  /** Milliseconds for each model call. Default 120,000. */
  timeout?: number;
  /** Called when the model is asked, when it answered, and after each hook. Default: nobody listens. */
  onProgress?: (event: CompactProgress) => void;
  /** What the host adds to the rules by which facts are collected. */
  ledger?: LedgerRules;
  /** Constants and switches: a name, or the fields that differ from the profile of that name. Default `espalier`. See `profile()`. */
  profile?: ProfileName | ProfileFields;
  /** The steps in order; one that is not named is left out. Default: the profile's. */
  ladder?: readonly Rung[];
  /** Newest results that no rule clears. Default: the profile's. */
  protect?: Fields<Profile["protect"]>;
  /** Further tools whose results are never cleared; those of todo lists, plans, memory, skills and questions never are. */
  exempt?: readonly string[];
  /** What started it. Hooks are told, and may put off what can wait. Default: `manual` with `force` or `focus`, else `overflow`. */
  trigger?: CompactTrigger;
  /** The shape that is tried first. Default: `fork` if `cacheWarm` and it fits, else `full`; `simple` where calls cannot be sent. */
  shape?: LlmShape;
  /** The provider has the running request cached. Default false. */
  cacheWarm?: boolean;
  /** The profile whose form of a record is asked for. Default: `summary.form` of the profile. */
  sections?: "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";
  /** When a second look at the history is paid for. Default `auto`: if a section is empty, or something was invented. */
  verify?: "auto" | "always" | "never";
  /** A result that falls short (see {@link Quality.misses}) changes nothing. Default false. */
  strict?: boolean;
  /** The model that summarises, if it is not the conversation's: its name, or its limits, which say what it may be shown. */
  llmModel?: string | ModelLimits;
  /** Rows for the table of what some models need to be told. */
  modelRules?: readonly ModelRule[];
  /** A paragraph for the instructions, or several. */
  instructions?: string | readonly string[];
  /** State of the host that goes into the summary message as it is, taken anew at every compaction. */
  blocks?: readonly HostBlock[];
  /** Where the whole conversation is written down, and the tool of the agent that reads files. */
  transcript?: { path: string; lines?: number; tool?: string; argument?: string };
  /** The agent's tool that gives back a message by its id. Default: that of {@link recallTool}, where one was made for the conversation. */
  recallTool?: string;
  /**
   * Reads a file as it is now; nothing if there is none. Up to 5 files that were in use are put back beside the summary, at most 5,000
   * tokens of each and a tenth of what messages may have.
   */
  readFile?: (path: string, context: { signal: AbortSignal }) => Promise<string | undefined> | string | undefined;
  /** Called before and after the compaction. Default: none. */
  hooks?: CompactHooks;
  /** Milliseconds for each hook and file. Default: the profile's, 10,000. */
  hookTimeout?: number;
  /** The host's name for this compaction, handed to `llm` with every request. Default: none. */
  jobId?: string;
  /**
   * What the summary is to stand for: the messages `from`..`to` (ids or indices), without one of them from the beginning or to the end. The
   * bounds grow to whole rounds (`report.grown` names what was added); the newest request, the newest round and what is kept stay. Messages
   * outside of it change only if the result would not fit the budget.
   */
  cover?: { from?: string | number; to?: string | number };
  /** Prices of a token, for what the broken cache costs (`report.quality.cache`). Default: Anthropic's, relative to plain input. */
  prices?: Prices;
}

export type CompactTrigger =
  | "threshold" | "overflow" | "provider_error" | "manual" | "range" | "model_switch" | "memory_pressure" | "agent_request";

/** State of the host: `plan`, `todo`, `skill`, `agent`, `memory`, or a word of its own. At most 5,000 tokens of each are kept. */
export interface HostBlock {
  kind: string;
  /** Of a skill or an agent, its name. */
  title?: string;
  text: string;
}

/** What models whose name begins with `model` (or is it, with `exact`) need. */
export interface ModelRule {
  /** The name of the model, or its beginning. */
  model: string;
  /** `model` is the whole name. Default false. */
  exact?: boolean;
  /** It calls tools although it is told not to: it is told once more. */
  textOnly?: boolean;
  /** It stops and asks after a summary: it is told to keep going. */
  keepGoing?: boolean;
}

/** Errors and time-outs of hooks are reported and stop nothing. */
export interface CompactHooks {
  /** There is a plan, and nothing was asked of a model yet. */
  preCompact?: (event: PreCompactEvent, context: { signal: AbortSignal }) => Promise<PreCompactWish | void> | PreCompactWish | void;
  /** It is over; not called after an abort. */
  postCompact?: (event: PostCompactEvent, context: { signal: AbortSignal }) => unknown;
}
export interface PreCompactEvent {
  /** `auto` in profiles that tell only that and `manual`. */
  trigger: CompactTrigger | "auto";
  focus?: string;
  /** Ids of the messages that a summary would stand for, and their tokens. */
  covered: string[];
  coveredTokens: number;
  before: Totals;
  budget: number;
}
export interface PreCompactWish {
  instructions?: string;
  /** Ids (or indices) of messages that must stay verbatim. */
  pins?: readonly (string | number)[];
  blocks?: readonly HostBlock[];
  /** Not now. Heard unless the request does not fit, its provider refused it, or a person asked. */
  skip?: boolean;
}
export interface PostCompactEvent {
  trigger: CompactTrigger | "auto";
  status: CompactStatus;
  before: Totals;
  after: Totals;
  covered: string[];
  summary?: string;
}

/** One step of the ladder. Calls and results are paired before all of them. */
export type Rung =
  | "stale"   // results that newer messages repeat or outdate
  | "media"   // old pictures, documents and reasoning
  | "cap"     // results over what one, or all together, may have
  | "clear"   // all old results and long arguments, in one batch
  | "summary" // by the model
  | "offline" // by rules
  | "fit";    // older groups go, the largest texts are shortened
export type ProfileName = "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";

/** A share within bounds, in tokens. */
export interface Share {
  of: number;
  least: number;
  most: number | null;
}

/** The form of a record: what a model is asked for, and what its answer is read by. */
export interface RecordForm {
  /** The element around the record: `summary`, or gemini-cli's `state_snapshot`. */
  tag: string;
  /** The element that the model thinks in before that. It is not kept. */
  scratch: string;
  /** The form of the sections in the record: under Markdown headings, or in XML elements (`Key Knowledge` in `<key_knowledge>`). */
  markup: "headings" | "elements";
  /** The name of the section that a title is read from. */
  title: string | null;
  /** The sections in order; `content` says what belongs into one. `vital` ones are cut last. */
  sections: { name: string; content: string; vital?: boolean }[];
}
/** The constants of one system. Shares are of what messages may have beside the frame, unless they say otherwise. */
export interface Profile {
  name: string;
  /** How large a request may be where the host does not say; what is left free below a limit learned from a refusal. */
  limit: { window: number | null; fallback: number | null; retryBuffer: number; mostRetryBuffer: number };
  /** How full a request is taken to be: what it will have; at least what the server counted last; that count alone. What fits is always counted. */
  measured: "predicted" | "atLeastReported" | "reported";
  /** When a compaction starts by itself, as a share of the limit: `warm + spread * r`, or `cold` with a cold cache. */
  start: { warm: number; spread: number; cold: number };
  /** A request this full waits for a running job. */
  block: number | null;
  /** A finished summary is used from here on; below it is parked or dropped. */
  applyMin: number;
  early: "parked" | "dropped";
  minMessages: { automatic: number; manual: number; system: boolean };
  /** Share of the limit, tools taken off, that a request with tools may use. */
  withTools: number;
  background: boolean;
  /** A change of the model gives up the summary that is being made, or waits. */
  cancelsOnSwitch: boolean;
  ladder: Rung[];
  shares: Record<"relief" | "target" | "ongoing", number> & Record<"keepRecent" | "working" | "names" | "users" | "ledger" | "entries" | "errorLines" | "summary", Share>;
  /** What a step must free. */
  gain: Record<"stale" | "media" | "cap" | "clear" | "summary", Share> & { covered: number };
  /** Newest results that no rule clears. */
  protect: { results: number; rounds: number; tokens: Share; turn: boolean };
  media: { media: "keep" | "note"; reasoning: "keep" | "olderTurns" | "outsideTail" };
  /** What results may have before they are cut in the middle: all together, each, each as a share of the limit. */
  cap: { all: number | null; each: number | null; eachOfLimit: number | null };
  clear: { argumentCharacters: number };
  cut: {
    at: "tokens" | "fraction" | "lastRound" | "snapshot";
    window: [number, number];
    insideTurn: number; beforeCheck: number; openFailure: number;
    fraction: number; splitInsideTurn: boolean;
  };
  summary: {
    verify: "auto" | "always" | "never";
    /** When the running request with one more message is what the model is asked. */
    fork: "warm" | "background" | "always" | "never";
    /** The shapes otherwise, one after the other. */
    overflowModes: ("full" | "simple")[];
    temperature: number; overlong: number; argumentUnits: number; simpleResults: number; handoffResults: number; fullHeadroom: number;
    /** What the record looks like that the model is asked for. */
    form: RecordForm;
  };
  /** `acknowledgement`: the model's words behind the summary, where a message of the user's follows it. */
  replacement: { form: "record" | "messages" | "summary"; acknowledgement: string | null; head: number };
  failure: { requests: number; tokens: number; gainTokens: number; flag: boolean };
  /** `veto`: it may put off what can wait. */
  hook: { onNoop: boolean; twoTriggers: boolean; veto: boolean };
  /** Milliseconds. */
  timeouts: { wait: number; hook: number; model: number };
}
/** One field in which two profiles differ. */
export interface ProfileDifference {
  field: string;
  a: unknown;
  b: unknown;
}
/** Some fields of a profile; the others are those of the profile of that name, or of `espalier`. */
export type ProfileFields = Fields<Profile>;
type Fields<T> = { readonly [K in keyof T]?: T[K] extends object ? (T[K] extends readonly unknown[] ? Readonly<T[K]> : Fields<T[K]>) : T[K] };

/** What a tool is for. Decides what its calls tell: files read and changed, commands, the plan, decisions. */
export type ToolKind = "read" | "write" | "edit" | "delete" | "search" | "shell" | "todo" | "ask" | "web" | "delegate" | "other";

/** A tool of the host's, where its name and the usual names of arguments do not tell what it does. */
export interface ToolRule {
  /** The name of the tool, as calls have it. */
  name: string;
  /** What the tool does. */
  kind: ToolKind;
  /** Names of arguments that hold paths. Default: the usual names. */
  path?: readonly string[];
  /** Names of arguments that hold command lines. Default: the usual names. */
  command?: readonly string[];
  /** Names of arguments that hold text for files. Default: the usual names. */
  content?: readonly string[];
  /** Whether calls leave the world as it is, like MCP's `readOnlyHint`; calls that do not are listed as actions. Default: read from the name. */
  readOnly?: boolean;
}
/**
 * An agent whose tools are known: what each of its calls does, under which names its arguments are, how its results look. The name of
 * a layout that such an agent writes names it, too.
 */
export type ToolDialect =
  | "claude-code" | "codex" | "gemini-cli" | "copilot-cli" | "vscode-chat" | "cline" | "pi" | "opencode" | "openhands" | "swe-agent"
  | "aider" | "cursor" | "zed" | "goose"
  | "gemini-chat" | "gemini-checkpoint" | "gemini-stream" | "qwen-code" | "vscode-chat-log" | "copilot-replay" | "cline-session"
  | "openhands-events";

export interface LedgerRules {
  /** Folder that paths are made relative to. Default: paths stay as they are. */
  root?: string;
  /** What the host's own tools do. Default: read from their names and arguments. */
  tools?: readonly ToolRule[];
  /**
   * The agent that made the calls; a few names mean different things in different agents (`offset` counts from 0 in gemini-cli, from 1
   * in others). Default: every known agent.
   */
  dialect?: ToolDialect;
  /** Further words (lower case) that make a sentence of the user a constraint. */
  markers?: readonly string[];
  /** Facts that were pinned in words: they stand among the constraints of every record. */
  facts?: readonly string[];
}
export type CompactProgress =
  | { type: "model"; id: number; promptTokens: number }
  | { type: "answered"; id: number; characters: number }
  | { type: "hook"; name: "preCompact" | "postCompact"; outcome: "done" | "failed" | "timeout"; why?: string };

export type CompactStatus =
  | "applied"            // the conversation was compacted
  | "unchanged"          // it fits its budget already
  | "nothing_to_compact" // too little to cover, and it fits
  | "model_failed" | "timeout" | "cancelled"
  | "empty_summary" | "no_summary_tag" | "tool_call_instead"
  | "inflated" | "no_gain"
  | "quality_failed"     // it fell short, and `strict` wants none that does
  | "skipped";           // a hook put it off

/** One recorded change of what the model gets to see. The history itself is never rewritten. */
export interface Edit {
  id: string;
  kind:
    | "replace_range" | "drop" | "truncate"
    | "clear_result" | "supersede" | "clear_arguments" | "drop_media" | "drop_reasoning";
  /** Ids of the messages it hides or changes. */
  targets: string[];
  rule: string;
  author: "rule" | "model";
  tokensBefore: number;
  tokensAfter: number;
  /** The summary message of a `replace_range`. */
  message?: NeutralMessage;
  /** The model's answer to it, behind it, in profiles that have one. */
  reply?: NeutralMessage;
  /** The thought that a summary inside a turn leaves behind: part `part` of `from` comes first in `to`. */
  thinking?: { from: string; part: number; to: string };
  /** Id of the message in front of which the summary stands. */
  before?: string;
  /** The message that makes the targets of a `supersede` unnecessary. */
  newer?: string;
  /**
   * What parts become, by message and part: a text, the JSON text of a call's arguments, the note in the place of a picture (`item`: which
   * of the things in a result). An empty text for reasoning, which goes.
   */
  texts?: { message: string; part: number; item?: number; text: string }[];
}

export interface CompactReport extends CutReport {
  status: CompactStatus;
  /** The ladder's steps in order, with what came of each. */
  steps: { step: string; outcome: "applied" | "no_gain" | "skipped" | "failed"; tokensBefore: number; tokensAfter: number; why: string }[];
  /** The text that stands for the covered messages. */
  summary?: string;
  /** What the model calls it, where the profile's sections have a title. */
  title?: string;
  /** Ids of messages that the summary stands for. */
  covered: string[];
  /** It fits, and is still so large that the next compaction is not far. */
  lowHeadroom?: boolean;
  /**
   * Where a summary was to get, in tokens of the whole request, and what was in the way: the result has at most `target`, or at most
   * `floor` where that is more. `mustKeep` is the floor without the record: frame, tools, newest request and round, open calls, what is
   * kept. Absent without a summary, for a chosen range, and for profiles whose summaries have no lists.
   */
  aim?: { target: number; reached: boolean; floor: number; mustKeep: number };
  /** Ids of messages that a range (`options.cover`) grew to contain. */
  grown?: string[];
  /** What became of the collected facts, by block of the record. Absent without a summary. */
  ledger?: { block: LedgerBlock; lines: number; shortened: number; leftOut: number }[];
  /** What of the history the result still holds. Absent without a summary. */
  quality?: Quality;
  /** Present when a model was asked. */
  model?: {
    calls: number;
    promptTokens: number;
    /** Request by request. */
    asked: { purpose: LlmRequest["purpose"]; shape: LlmShape; promptTokens: number; reduced?: Reduced; error?: string }[];
    /** What the summary was written without. Absent if the model was shown all of the covered messages. */
    reduced?: Reduced;
    /** What is still wrong with its summary, as far as rules can tell. */
    gaps?: string[];
    usage: Record<string, unknown>[];
    /** What providers called the requests, and what services in front of them did. */
    requestIds: string[];
    serviceRequestIds?: string[];
    /** HTTP status of the newest request that failed, where its error says so. */
    statusCode?: number;
    /** How the model failed, where no summary of its own was used, and why. `status` says what came of the compaction all the same. */
    failure?: CompactStatus;
    error?: string;
  };
  hooks?: { name: "preCompact" | "postCompact"; outcome: "done" | "skipped" | "overruled" | "failed" | "timeout"; why?: string }[];
  /** Files that were to be put back. */
  files?: { path: string; outcome: "whole" | "folded" | "path" | "failed"; tokens: number; why?: string }[];
  /** What the host added. */
  blocks?: { kind: string; title?: string; tokens: number; shortened: boolean }[];
}
export type LedgerBlock = "users" | "constraints" | "todo" | "changed" | "actions" | "errors" | "commands" | "decisions" | "facts" | "read";

/** What of a history a view still holds, measured by rule. Counts are of entries, sizes are tokens. */
export interface Quality {
  retention: {
    kind: "modifiedFiles" | "readFiles" | "commands" | "errors" | "constraints" | "todos" | "decisions" | "symbols" | "requests";
    all: number;
    /** Entries that are there word for word; of paths the last three components. */
    literal: number;
    /** Entries that are there whole or have a line of their own. */
    ownLine: number;
    /** Entries that can be had by recall only. */
    recall: number;
    /** Share of own lines, the newest weighing twice the oldest. */
    weighted: number;
  }[];
  users: { messages: number; verbatim: number; withEntry: number; tokens: number; tokensVerbatim: number };
  /** Paths, addresses and long numbers of the model's summary that the history does not have. */
  inventions: string[];
  size?: { before: number; after: number; freed: number; headroom: number; covered: number; summary: number; prompt: number };
  boundary?: { tail: number; target: number; betweenEditAndCheck: boolean };
  /**
   * The provider's cache: tokens that the result begins with as the request before it did; tokens behind them; tokens that later requests
   * have less; what it costs once that those are written and not read, and what every later request saves, in the unit of
   * `options.prices`; and after how many requests nothing is lost (absent: after none).
   */
  cache?: { shared: number; rewritten: number; saved: number; once: number; perRequest: number; breakEven?: number };
  /** Facts that came from the record of an earlier compaction; tokens of that record's summary and of its lists, then and now. */
  chain?: { facts: number; kept: number; summaryBefore: number; summaryAfter: number; ledgerBefore: number; ledgerAfter: number };
  /** What falls short: constraints, open todos and modified files all there, nothing invented. */
  misses: ("constraints" | "todos" | "modifiedFiles" | "inventions")[];
}

/** What {@link quality} is told. */
export interface QualityOptions extends CountOptions {
  /** What the host adds to the rules by which facts are collected. */
  ledger?: LedgerRules;
  /** The text in the view that a model wrote: it is looked through for inventions. */
  summary?: string;
  /** What really came behind the view, in the same format: measures what of the rest was needed. */
  continuation?: unknown;
}

/** What {@link quality} measures. */
export interface ViewQuality extends Quality {
  /** With `continuation`: facts of what is not in the view that were used again, and those of them that the view holds. */
  needed?: { used: number; held: number };
}

/** What {@link summarize} is told. */
export interface SummarizeOptions
  extends CountOptions, Pick<CompactOptions, "focus" | "signal" | "timeout" | "onProgress" | "ledger" | "sections" | "verify" | "llmModel" | "modelRules" | "instructions" | "jobId" | "profile"> {
  /** For whoever goes on with the work elsewhere: another agent, another session, a person. */
  purpose: "handoff";
  /** The model that writes the record. */
  llm: Llm;
  /** Input tokens that the model takes. Default: whatever the conversation has. */
  llmBudget?: number;
  /** What to do when the model fails: `leave` (default) gives no summary, `offline` makes one by rules. */
  onFailure?: "leave" | "offline";
}

/** What came of {@link summarize}. `summary` and `record` are absent unless `status` is `applied`. */
export interface SummarizeResult {
  status: CompactStatus;
  /** The model's text. */
  summary?: string;
  /** The same in a message's worth of text, with what is kept by rule behind it: the user's words, constraints, files, errors, commands. */
  record?: string;
  title?: string;
  /** Tokens of the conversation. */
  before: Totals;
  model?: NonNullable<CompactReport["model"]>;
  /** Why there is no summary. */
  error?: string;
}

export interface CompactResult<T> {
  status: CompactStatus;
  messages: T;
  edits: Edit[];
  report: CompactReport;
}

// ---------------------------------------------------------------- validity

/** Whose rules count. */
export type Provider = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "vscode";

/** One thing that a provider would refuse. */
export interface Finding {
  /** Stable name of the rule: `orphan-result`, `lost-call`, `double-id`, `first-role`, … */
  rule: string;
  /** The field to blame, as one would write it in JavaScript: `messages[3].content[1]`. */
  path: string;
  /** Index in the list of messages that was passed; absent where a tool, the system prompt or the request is to blame. */
  index?: number;
  /** Index among the parts of the message, as {@link NeutralMessage} has them. */
  part?: number;
  /** One sentence for people. */
  message: string;
}

/** What a model or purpose demands besides its provider's rules; where all that is named is met, its demands count. */
export interface ValidityRule {
  /** The provider that the rule is for. Default: any. */
  provider?: Provider;
  /** Name of a model; `*` matches any characters. Default: any. */
  model?: string;
  /** The purpose that the rule is for. Default: any. */
  purpose?: "answer" | "summary";
  /** The model reads texts only: pictures and documents become notes. */
  textOnly?: boolean;
  /** Pictures become notes. */
  noPictures?: boolean;
  /** The assistant must not speak last. */
  noPrefill?: boolean;
  /** The first call of a turn of the model carries the signature of its thought (Gemini). */
  signatures?: boolean;
  /** Tools whose calls and results repair takes out. */
  dropTools?: readonly string[];
}

export interface ValidityOptions {
  /** Default: neutral messages and those of the AI SDK are told by their structure, all others are the provider's own. */
  format?: Format;
  /** Tool definitions; default: those of the request object, if one was passed. */
  tools?: ToolList;
  /** Default: that of the request object. */
  model?: string;
  /** `summary` counts the rules of requests to summarise (no pictures, no searches for tools). Default `answer`. */
  purpose?: "answer" | "summary";
  /** Rows of the host's own, beside those for known models. */
  rules?: readonly ValidityRule[];
}

export interface ValidateOptions extends ValidityOptions {
  /** Calls at the end that have no result yet: `report` them (default), or pass them over (`keep`). */
  pending?: "report" | "keep";
}

export interface RepairOptions extends ValidityOptions {
  /** The provider whose rules the messages must keep. */
  provider: Provider;
  /** Results without a call: left out (default), or their text becomes a note of the user. */
  orphans?: "drop" | "text";
  /** Calls that nobody will answer any more: they get a result that says so (default), or go. */
  lostCalls?: "synthesize" | "drop";
  /** Calls at the end that may still be running: they stay (default), the request is refused (`pending_calls`), or as `lostCalls`. */
  pending?: "keep" | "refuse" | "synthesize" | "drop";
  /** Takes thoughts out, for a model other than the one that had them. Default false. */
  dropThoughts?: boolean;
  /** What the user says where somebody must speak before the assistant. */
  opening?: string;
  /** What the user says where somebody must speak behind the assistant. */
  closing?: string;
  /** Text of the result that stands for one that was never recorded. */
  lostText?: string;
}

/** What repair did, and why. */
export interface RepairChange {
  rule: string;
  /** The field it was about, in the messages as they were passed; absent for something new. */
  path?: string;
  index?: number;
  message: string;
}

export interface RepairReport {
  provider: Provider;
  format: Format;
  /** In the order of the messages. Empty if nothing was changed. */
  changes: RepairChange[];
  /** What is left for the host to mend: calls that are running, tools without a name that is taken. */
  left: Finding[];
}

export interface RepairResult<T> {
  /** The same shape as what was passed in; untouched messages are the caller's own objects, and so is the whole if nothing was changed. */
  messages: T;
  report: RepairReport;
}

// ---------------------------------------------------------------- caches and usage

/** What a request took, by the provider's own account, the same for all providers. */
export interface Usage {
  /** Prompt tokens that were neither read from a cache nor written to one. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Everything the model wrote, thoughts included. */
  output: number;
  /** The part of `output` that is thoughts, where the provider says. */
  reasoning: number;
  /** `input` + `cacheRead` + `cacheWrite`. */
  promptTotal: number;
  /** What the provider said, as it said it. Sums have none. */
  raw?: unknown;
}

/** Prices of a token, in any unit: relative to plain input (as the defaults are), or money. */
export interface Prices {
  /** A token that is neither read from a cache nor written to one. Default 1. */
  input?: number;
  /** A token read from the cache. Default 0.1. */
  cacheRead?: number;
  /** A token written to the cache. Default 1.25; 2 with a lifetime of one hour. */
  cacheWrite?: number;
  /** A token of the answer. Default 5. */
  output?: number;
}

/** How long a cache entry lives after its last use. */
export type CacheLifetime = "5m" | "1h";

export interface MarkOptions extends CountOptions {
  /** `espalier` (default) places marks by value, `copilot-chat` where Copilot Chat does. */
  profile?: "espalier" | "copilot-chat";
  /** Marks on messages (`openai`), or on blocks and tool definitions (`anthropic`). Default: as the format is. */
  scheme?: "openai" | "anthropic";
  /** Marks that the provider allows in one request. Default 4. */
  max?: number;
  /** Lifetime of new marks: on tools and system text, and in messages. Longer ones come first. Default `5m`; marks of VS Code have none. */
  lifetime?: CacheLifetime | { prefix?: CacheLifetime; messages?: CacheLifetime };
  /** `newest` of the previous request's result. */
  previousNewest?: NewestMark;
  /** Tokens below which the provider caches nothing. Default: by the model, 1,024 if it is not known; 0 for `copilot-chat`. */
  minimumPrefix?: number;
  /** Id or index of the newest summary of earlier history; one of Espalier's own is recognised. */
  summary?: string | number;
  /** Anthropic's system prompt, where `messages` is a list without a request around it. */
  system?: unknown;
  /** OpenAI-like formats: `message` sets `copilot_cache_control` beside the content, `part` sets `cache_control` on a content part. */
  style?: "message" | "part";
  /** AI SDK: the provider in whose options marks are set. Default `anthropic`. */
  providerKey?: string;
  /** VS Code: makes a data part. Default: an object of the class that other data parts of the conversation have. */
  dataPart?: (data: Uint8Array, mimeType: string) => unknown;
}

/**
 * Where a mark is: on a tool definition, or on a part of a message (both by index; `message` is the message's id). Parts are those of
 * the neutral message, marks not counted: in most formats the index is that of the content block.
 */
export type MarkPlace = { tool: number } | { message: string; index: number; part?: number };

export type PlacedMark = MarkPlace & {
  lifetime: CacheLifetime;
  /** `caller` for marks that were there. */
  why: "tools" | "system" | "newest" | "previous" | "summary" | "user" | "caller" | "round" | "answer" | "leading";
};

/** The newest mark of a request. Plain data: keep it for the next request. */
export interface NewestMark {
  message: string;
  part?: number;
  /** Names everything up to the mark. Without it you vouch that nothing changed there. */
  prefix?: string;
}

export interface MarkResult<T> {
  /** The same shape as what was passed in; messages without a change are the caller's own objects. */
  messages: T;
  /** The tool definitions and the system prompt with their marks, where they were passed as options. */
  tools?: ToolList;
  system?: unknown;
  /** All marks of the request, in the order in which the provider reads them. */
  marks: PlacedMark[];
  /** Marks of the caller's that went: they stood where none may stand, or there were too many. */
  unmarked: (MarkPlace & { why: "cannot-carry" | "over-limit" | "replaced" })[];
  newest?: NewestMark;
}

export interface PrefixOptions extends CountOptions {
  /** Tool definitions of the previous request. Default: those in it, else the same as now. */
  previousTools?: readonly unknown[];
  /**
   * The report of the `prune` or `compact` that made the newer request: it names the cause of a difference. Default:
   * no cause is named.
   */
  report?: Pick<PruneReport, "messages">;
  /** The report of the `prune` or `compact` that made the previous request. Default: its changes have no cause. */
  previousReport?: Pick<PruneReport, "messages">;
  /** What each message of the newer request costs, where you hold that already: nothing is counted again. */
  counts?: readonly number[];
}

/** The beginning that two requests share. */
export interface SharedPrefix {
  /** Messages that are equal. */
  messages: number;
  /** Tokens of equal tools and messages, and of the equal parts in front of the first difference. */
  tokens: number;
  origin: Origin;
  /** True if the request begins with everything the previous one had. */
  extends: boolean;
  difference?: {
    /** Index of the message, or of the tool if `kind` is `tools`. */
    index: number;
    /** Id of the message, or name of the tool. */
    id: string;
    part?: number;
    kind: "tools" | "role" | "name" | "text" | "call" | "result" | "media" | "opaque" | "kind" | "partsAdded" | "partsRemoved" | "messagesRemoved";
    /** Where two texts part, in UTF-16 code units. */
    offset?: number;
    /** With `report`: the rule that brought it about and the messages it was applied to; `input` if it was no rule. */
    cause?: { rule: string; ids: string[] };
  };
}

export interface CacheCostOptions {
  /** Prompt tokens of the request. */
  total: number;
  /** Tokens it shares with the previous one. Default 0. */
  shared?: number;
  /** Tokens in front of the newest mark, which are written where they are not read. Default: all. */
  marked?: number;
  /** Tokens of the answer. Default 0. */
  output?: number;
  /** The chance that the shared prefix is still cached, from 0 to 1. Default 1. */
  hitRate?: number;
  /** Prices of a token. Default: relative to plain input, as {@link Prices} says. */
  prices?: Prices;
  /** Lifetime of the entries, for the default price of writing. */
  lifetime?: CacheLifetime;
}

export interface CacheCost {
  /** In the unit of the prices. */
  cost: number;
  /** Tokens expected to be read, written, and paid for plainly. */
  cacheRead: number;
  cacheWrite: number;
  input: number;
  /** The same request without a cache. */
  withoutCache: number;
}

export interface ClearingOptions {
  /** Tokens that would go. */
  cleared: number;
  /** Tokens behind the first of them that stay, and must be written anew. */
  suffix: number;
  /** Tokens that would be put in their place. Default 0. */
  replacement?: number;
  /** What the change itself costs (a summary's model call), in the unit of the prices. Default 0. */
  extra?: number;
  /** Requests that are expected, the next one included. Default 10. */
  requests?: number;
  /** The chance that the prefix is still cached when a request comes, from 0 to 1. Default 1. */
  hitRate?: number;
  /** Prices of a token. Default: relative to plain input, as {@link Prices} says. */
  prices?: Prices;
  /** Lifetime of the entries, for the default price of writing. Default `5m`. */
  lifetime?: CacheLifetime;
}

export interface ClearingDecision {
  pays: boolean;
  /** Saved over the expected requests; negative if it costs more than it saves. */
  saved: number;
  /** What the change costs once, and what it saves with each request. */
  once: number;
  perRequest: number;
  /** The least number of requests with which nothing is lost; absent if there is none. */
  breakEven?: number;
}
