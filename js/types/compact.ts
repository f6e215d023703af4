/** Options of compaction. */

import type { Prices } from "./cache.ts";
import type { CompactProgress, CompactStatus } from "./compact-report.ts";
import type { CountOptions, Totals } from "./count.ts";
import type { Trigger } from "./generated/compact.ts";
import type { Llm, LlmShape } from "./llm.ts";
import type { Fields, LedgerRules, Profile, ProfileFields, ProfileName, Rung } from "./profile.ts";
import type { ModelLimits, PruneOptions } from "./prune.ts";
import type { ProviderName } from "./validity.ts";

export type { Trigger } from "./generated/compact.ts";

export interface CompactOptions extends CountOptions {
  /** Max input tokens of the result, tool definitions included. */
  budget: number;
  /**
   * How much of the budget the result fills, as a share above 0 of the tokens for messages. Default: the profile's
   * `shares.target` (0.985); `shares.ongoing` (0.40) in a conversation that goes on, whose next turns need the rest
   * (without a model less in little room: they get 3,000 tokens, or 80 %), and with `force` if the conversation fits
   * its budget.
   */
  targetShare?: number;
  /**
   * The provider whose rules the result keeps if it was made to fit, and whose rules requests for summaries keep.
   * Default: by the format. For neutral messages and those of the AI SDK there is no default: calls and results are
   * only paired.
   */
  provider?: ProviderName;
  /** As {@link PruneOptions.limits}. */
  limits?: PruneOptions["limits"];
  /** Writes the summary. Default: rules write it. */
  llm?: Llm;
  /** What the summary should pay special attention to, in words. Default: nothing. */
  focus?: string;
  /** Compacts even if the conversation fits its budget. Default false. */
  force?: boolean;
  /**
   * What happens if the model fails: `offline` (default) summarises by rules; `leave` changes nothing, and throws
   * `compaction_failed` if the request does not fit its budget.
   */
  onFailure?: "leave" | "offline";
  /** Ids (or indices) of messages that must stay verbatim. Default: only those that always stay. */
  keep?: readonly (string | number)[];
  /**
   * Aborting it ends the call: the status is `cancelled`, and nothing changes. Without `llm`, `hooks` and `readFile`
   * there is nothing to wait for, and it is not read. Default: none.
   */
  signal?: AbortSignal;
  /**
   * Max input tokens of the summarising model. Default: the limit of `llmModel`; without one the whole history is
   * tried, and less of it after each refusal as too long. `report.model.reduced` says what the model did not receive.
   */
  maxLlmTokens?: number;
  /** Milliseconds for each model call. Default 120,000. */
  timeoutMs?: number;
  /** Called when the model is asked, when it answers, and after each hook. Default: none. */
  onProgress?: (event: CompactProgress) => void;
  /** The host's additions to the rules that collect facts. */
  ledger?: LedgerRules;
  /**
   * Constants and switches: the name of a profile, or the fields that differ from it. Default `espalier`. See
   * `profile()`.
   */
  profile?: ProfileName | ProfileFields;
  /** The steps in order; a step that is not listed is skipped. Default: the profile's. */
  ladder?: readonly Rung[];
  /** Newest results that no rule clears: `results`, `rounds`, `tokens` and `turn`. Default: the profile's. */
  protect?: Fields<Profile["protect"]>;
  /** More tools whose results are never cleared. Those of todo lists, plans, memory, skills and questions never are. */
  exempt?: readonly string[];
  /**
   * What started the compaction. Hooks receive it, and may postpone a compaction that can wait. Default: `manual` with
   * `force` or `focus`, else `overflow`.
   */
  trigger?: Trigger;
  /**
   * The shape to try first. Default: `fork` if `cacheWarm` and it fits, else `full`; `simple` if calls cannot be sent.
   */
  shape?: LlmShape;
  /** True if the provider has the running request cached. Default false. */
  cacheWarm?: boolean;
  /** The profile whose form of a record is requested. Default: `summary.form` of the profile. */
  recordProfile?: "espalier" | "copilot-chat" | "gemini-cli" | "copilot-cli";
  /**
   * When the model gets a second look at the history. Default `auto`: if a section is empty, or something was invented.
   */
  verify?: "auto" | "always" | "never";
  /** If true, a result that falls short (see {@link Quality.misses}) changes nothing. Default false. */
  strict?: boolean;
  /** The summarising model, if it is not the conversation's: its name, or its limits, which bound what it receives. */
  llmModel?: string | ModelLimits;
  /** More rows for the table of instructions that some models need. */
  modelRules?: readonly ModelRule[];
  /** One or more paragraphs to add to the instructions. */
  instructions?: string | readonly string[];
  /** State of the host that goes into the summary message unchanged, read again at every compaction. */
  blocks?: readonly HostBlock[];
  /**
   * Where the whole conversation is stored: the `path` of its file, its number of `lines`, and the agent's `tool` that
   * reads files, with the name of its `argument` for a path. The summary message says so.
   */
  transcript?: { path: string; lines?: number; tool?: string; argument?: string };
  /**
   * The agent's tool that returns a message by its id. Default: the {@link recallTool} of the conversation, if there is
   * one.
   */
  recallTool?: string;
  /**
   * Reads the current text of a file; nothing if there is none. Up to 5 files in use are restored beside the summary,
   * at most 5,000 tokens of each and a tenth of the tokens for messages.
   */
  readFile?: (path: string, context: { signal: AbortSignal }) => Promise<string | undefined> | string | undefined;
  /** `preCompact` and `postCompact`, called before and after the compaction. Default: none. */
  hooks?: CompactHooks;
  /** Milliseconds for each hook and file. Default: the profile's, 10,000. */
  hookTimeoutMs?: number;
  /** The host's name for this compaction, passed to `llm` with every request. Default: none. */
  jobId?: string;
  /**
   * The range that the summary replaces: the messages `from`..`to` (ids or indices); without one of them, from the
   * beginning or to the end. The bounds grow to whole rounds (`report.grown` names the added messages). The newest
   * request, the newest round and kept messages stay. Messages outside the range change only if the result would not
   * fit the budget.
   */
  cover?: { from?: string | number; to?: string | number };
  /**
   * Prices of a token, for the cost of the broken cache (`report.quality.cache`). Default: Anthropic's, relative to
   * plain input.
   */
  prices?: Prices;
}

/** State of the host, such as a plan. */
export interface HostBlock {
  /** `plan`, `todo`, `skill`, `agent`, `memory`, or a word of the host. */
  kind: string;
  /** The name of a skill or an agent. */
  title?: string;
  /** The text. Tokens above 5,000 are cut. */
  text: string;
}

/** What models need whose name begins with `model`, or equals it with `exact`. */
export interface ModelRule {
  /** The name of the model, or its beginning. */
  model: string;
  /** True if `model` is the whole name. Default false. */
  exact?: boolean;
  /** True if the model calls tools although the instructions forbid it: it gets the instruction twice. */
  textOnly?: boolean;
  /** True if the model stops and asks after a summary: it gets the instruction to continue. */
  keepGoing?: boolean;
}

/** Errors and timeouts of hooks are reported and do not stop the compaction. */
export interface CompactHooks {
  /** Called when there is a plan, before the model is asked. */
  preCompact?: (
    event: PreCompactEvent,
    context: { signal: AbortSignal },
  ) => Promise<PreCompactWish | void> | PreCompactWish | void;
  /** Called when the compaction is over, except after an abort. */
  postCompact?: (event: PostCompactEvent, context: { signal: AbortSignal }) => unknown;
}

export interface PreCompactEvent {
  /** `auto` in profiles whose hooks know only `auto` and `manual`. */
  trigger: Trigger | "auto";
  focus?: string;
  /** Ids of the messages that a summary would replace. */
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
  /**
   * Postpones the compaction. Ignored if the request does not fit, if its provider refused it, or if a person asked for
   * it.
   */
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
