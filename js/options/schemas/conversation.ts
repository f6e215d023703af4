/** The options of public calls: conversations and logs. */

import type { ConversationOptions, PrepareOptions } from "../../conversation/types.ts";
import type { FindOptions } from "../../log/search.ts";
import type { AdoptOptions, LogImportOptions, LogOptions, LogPinRow } from "../../log/types.ts";
import type { RecallToolOptions } from "../../recall/tool.ts";
import { PROVIDERS } from "../../validity/providers.ts";
import { items } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import {
  callback,
  checkedLater,
  clock,
  encoding,
  flag,
  isWhole,
  methods,
  milliseconds,
  number,
  positiveShare,
  required,
  signal,
  text,
  whole,
} from "../kinds.ts";
import { hooks, LASTING } from "./compaction.ts";
import { COUNTING, model } from "./counting.ts";
import { LIMITS } from "./limits.ts";
import { LIFETIMES } from "./requests.ts";
import { TOOL_FIT } from "./results.ts";

const storage: Kind<any> = (value, path, refuse) =>
  methods(value, ["read", "append", "write", "list", "delete"], path, refuse);

const session: Kind<any> = (value) => {
  const { format, messages, history, usage, compactions } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Record<string, unknown>;
  return typeof format === "string" && [messages, history, usage, compactions].every((list) => Array.isArray(list))
    ? undefined
    : "a session of espalier/sessions (what openSession returns)";
};

const messages: Kind<any> = (value) => (Array.isArray(value) ? undefined : "a list");

const entropy: Kind<string | number> = (value) =>
  typeof value === "string" || Number.isFinite(value) ? undefined : "a text or a number";

export const CONVERSATION: Schema<ConversationOptions<unknown>> = {
  ...COUNTING,
  messages,
  log: text,
  storage,
  model,
  profile: checkedLater,
  provider: PROVIDERS,
  limits: LIMITS,
  system: text,
  llm: callback,
  threshold: number,
  maxContextTokens: number,
  preferLongContext: flag,
  automatic: flag,
  serverManaged: flag,
  background: flag,
  cacheLifetime: LIFETIMES,
  entropy,
  clock,
  timeoutsMs: { wait: milliseconds, model: milliseconds, hook: milliseconds, storage: milliseconds },
  checkpoints: whole,
  hooks,
  compact: LASTING,
  onEvent: callback,
  eventProfile: ["espalier", "copilot-cli", "copilot-chat", "gemini-cli", "both"],
  session,
  search: callback,
};

export const PREPARE: Schema<PrepareOptions> = {
  tools: checkedLater,
  toolsShare: positiveShare,
  fitTools: TOOL_FIT,
  model,
  system: text,
  pending: ["keep", "refuse"],
  signal,
};

export const BY_HAND: Schema<{ focus?: string; signal?: AbortSignal }> = { focus: text, signal };

export const PREVIEW: Schema<{
  focus?: string;
  summary?: string;
  model?: boolean;
  signal?: AbortSignal;
  from?: string;
  to?: string;
}> = { focus: text, summary: text, model: flag, signal, from: text, to: text };

export const SWITCH: Schema<{ signal?: AbortSignal }> = { signal };

export const MEMORY: Schema<{ model?: boolean }> = { model: flag };

export const LOG: Schema<LogOptions> = {
  ...COUNTING,
  format: required(checkedLater),
  provider: PROVIDERS,
  now: callback,
  search: callback,
};

export const LOG_IMPORT: Schema<LogImportOptions<unknown>> = {
  ...COUNTING,
  provider: PROVIDERS,
  now: callback,
  search: callback,
  messages: checkedLater,
  exact: checkedLater,
  salvage: checkedLater,
};

export const LOG_COUNTING: Schema<Pick<LogOptions, "encoding" | "model" | "costModel">> = {
  encoding,
  model: text,
  costModel: COUNTING.costModel,
};

export const RECALL: Schema<RecallToolOptions> = {
  name: (value) =>
    typeof value === "string" && /^[\w-]{1,64}$/.test(value) ? undefined : "1 to 64 letters, digits, _ and -",
  format: checkedLater,
  maxTokens: (value) => (isWhole(value, 200) ? undefined : "a whole number, 200 or more"),
};

export const FIND: Schema<FindOptions> = { maxResults: whole, onlyHidden: flag };

const range: Kind<any> = (value, path, refuse) =>
  Array.isArray(value) && value.length === 2 ? items(value, whole, path, refuse) : "a start and an end";

/** A pin, and a row of `pins()`, which can be pinned again. */
export const PIN: Schema<Partial<LogPinRow>> = {
  message: text,
  part: whole,
  range,
  fact: text,
  reason: text,
  id: checkedLater,
  text: checkedLater,
  tokens: checkedLater,
  rewound: checkedLater,
};

export const ADOPT: Schema<AdoptOptions> = { since: checkedLater, trigger: text, planId: text, data: checkedLater };
