/** Options of compaction. */

import type { Prices } from "./cache.ts";
import type { CompactProgress, CompactStatus } from "./compact-report.ts";
import type { CountOptions, Totals } from "./count.ts";
import type { Llm, LlmShape } from "./llm.ts";
import type { Fields, LedgerRules, Profile, ProfileFields, ProfileName, Rung } from "./profile.ts";
import type { ModelLimits } from "./prune.ts";
import type { ProviderName } from "./validity.ts";

export interface CompactOptions extends CountOptions {
  /** Input tokens the result may have, tool definitions included. */
  budget: number;
  /**
   * How much of the budget the result fills, as a share between 0 and 1 of what messages may use. Default: the
   * profile's `shares.target` (0.97: all that the history fills). `shares.ongoing` (0.40) in a conversation that goes
   * on, whose next turns need the rest, and with `force` where the conversation fits its budget.
   */
  targetShare?: number;
  /**
   * Whose rules the result keeps where it was made to fit, and requests for summaries. Default: as the format says;
   * neutral messages and the AI SDK's are for nobody until it is said, and only paired.
   */
  provider?: ProviderName;
  /** Without it the summary is made by rules alone. */
  llm?: Llm;
  /** What the summary should pay special attention to, in words. Default: nothing. */
  focus?: string;
  /** Compact even if the conversation fits its budget. Default false. */
  force?: boolean;
  /**
   * What to do when the model fails: `offline` (default) summarises by rules; `leave` changes nothing, and throws
   * `compaction_failed` if the request does not fit its budget.
   */
  onFailure?: "leave" | "offline";
  /** Ids (or indices) of messages that must stay verbatim. Default: none beyond what always stays. */
  keep?: readonly (string | number)[];
  /** Aborting it ends the call: the status is `cancelled`, and nothing changes. Default: nothing ends it. */
  signal?: AbortSignal;
  /**
   * Input tokens that the summarising model takes. Default: as `llmModel` says; else the whole history is tried, and
   * less of it each time the model refuses a request as too long. `report.model.reduced` says what the model was not
   * shown.
   */
  maxLlmTokens?: number;
  /** Milliseconds for each model call. Default 120,000. */
  timeoutMs?: number;
  /** Called when the model is asked, when it answered, and after each hook. Default: nobody listens. */
  onProgress?: (event: CompactProgress) => void;
  /** What the host adds to the rules by which facts are collected. */
  ledger?: LedgerRules;
  /**
   * Constants and switches: a name, or the fields that differ from the profile of that name. Default `espalier`. See
   * `profile()`.
   */
  profile?: ProfileName | ProfileFields;
  /** The steps in order; one that is not named is left out. Default: the profile's. */
  ladder?: readonly Rung[];
  /** Newest results that no rule clears. Default: the profile's. */
  protect?: Fields<Profile["protect"]>;
  /**
   * Further tools whose results are never cleared; those of todo lists, plans, memory, skills and questions never are.
   */
  exempt?: readonly string[];
  /**
   * What started it. Hooks are told, and may put off what can wait. Default: `manual` with `force` or `focus`, else
   * `overflow`.
   */
  trigger?: Trigger;
  /**
   * The shape that is tried first. Default: `fork` if `cacheWarm` and it fits, else `full`; `simple` where calls cannot
   * be sent.
   */
  shape?: LlmShape;
  /** The provider has the running request cached. Default false. */
  cacheWarm?: boolean;
  /** The profile whose form of a record is asked for. Default: `summary.form` of the profile. */
  recordProfile?: "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";
  /**
   * When a second look at the history is paid for. Default `auto`: if a section is empty, or something was invented.
   */
  verify?: "auto" | "always" | "never";
  /** A result that falls short (see {@link Quality.misses}) changes nothing. Default false. */
  strict?: boolean;
  /**
   * The model that summarises, if it is not the conversation's: its name, or its limits, which say what it may be
   * shown.
   */
  llmModel?: string | ModelLimits;
  /** Rows for the table of what some models need to be told. */
  modelRules?: readonly ModelRule[];
  /** A paragraph for the instructions, or several. */
  instructions?: string | readonly string[];
  /** State of the host that goes into the summary message as it is, taken anew at every compaction. */
  blocks?: readonly HostBlock[];
  /** Where the whole conversation is written down, and the tool of the agent that reads files. */
  transcript?: { path: string; lines?: number; tool?: string; argument?: string };
  /**
   * The agent's tool that gives back a message by its id. Default: that of {@link recallTool}, where one was made for
   * the conversation.
   */
  recallTool?: string;
  /**
   * Reads a file as it is now; nothing if there is none. Up to 5 files that were in use are put back beside the
   * summary, at most 5,000 tokens of each and a tenth of what messages may have.
   */
  readFile?: (path: string, context: { signal: AbortSignal }) => Promise<string | undefined> | string | undefined;
  /** Called before and after the compaction. Default: none. */
  hooks?: CompactHooks;
  /** Milliseconds for each hook and file. Default: the profile's, 10,000. */
  hookTimeoutMs?: number;
  /** The host's name for this compaction, handed to `llm` with every request. Default: none. */
  jobId?: string;
  /**
   * What the summary is to stand for: the messages `from`..`to` (ids or indices), without one of them from the
   * beginning or to the end. The bounds grow to whole rounds (`report.grown` names what was added); the newest request,
   * the newest round and what is kept stay. Messages outside of it change only if the result would not fit the budget.
   */
  cover?: { from?: string | number; to?: string | number };
  /**
   * Prices of a token, for what the broken cache costs (`report.quality.cache`). Default: Anthropic's, relative to
   * plain input.
   */
  prices?: Prices;
}

/** Why a compaction was made. */
export type Trigger =
  | "threshold"
  | "overflow"
  | "provider_error"
  | "manual"
  | "range"
  | "model_switch"
  | "memory_pressure"
  | "agent_request";

/**
 * State of the host: `plan`, `todo`, `skill`, `agent`, `memory`, or a word of its own. At most 5,000 tokens of each are
 * kept.
 */
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
  preCompact?: (
    event: PreCompactEvent,
    context: { signal: AbortSignal },
  ) => Promise<PreCompactWish | void> | PreCompactWish | void;
  /** It is over; not called after an abort. */
  postCompact?: (event: PostCompactEvent, context: { signal: AbortSignal }) => unknown;
}

export interface PreCompactEvent {
  /** `auto` in profiles that tell only that and `manual`. */
  trigger: Trigger | "auto";
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
  trigger: Trigger | "auto";
  status: CompactStatus;
  before: Totals;
  after: Totals;
  covered: string[];
  summary?: string;
}
