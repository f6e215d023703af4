/** The options of public calls: compaction. */

import { DIALECTS } from "../../sessions/dialects.ts";
import type * as T from "../../types/index.ts";
import { PROVIDERS } from "../../validity/providers.ts";
import { checkForeign, items } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import {
  callback,
  checkedLater,
  flag,
  messageId,
  messageIds,
  milliseconds,
  name,
  positiveShare,
  required,
  signal,
  text,
  texts,
  whole,
} from "../kinds.ts";
import { COUNTING, model } from "./counting.ts";
import { LIMITS } from "./limits.ts";
import { PRICES } from "./requests.ts";

const TOOL_KINDS: readonly T.ToolRule["kind"][] = [
  "read",
  "write",
  "edit",
  "delete",
  "search",
  "shell",
  "todo",
  "ask",
  "web",
  "delegate",
  "other",
];

const TOOL_RULE: Schema<T.ToolRule> = {
  name: required(text),
  kind: required(TOOL_KINDS),
  path: texts,
  command: texts,
  content: texts,
  readOnly: flag,
};

const LEDGER: Schema<T.LedgerRules> = {
  root: text,
  tools: (value, path, refuse) => items(value, TOOL_RULE, path, refuse),
  dialect: DIALECTS,
  markers: texts,
  facts: texts,
};

const HOOKS: Schema<T.CompactHooks> = { preCompact: callback, postCompact: callback };

export const hooks: Kind<T.CompactHooks> = (value, path, refuse) =>
  void checkForeign(value as object, HOOKS, path, refuse);

const MODEL_RULE: Schema<T.ModelRule> = { model: required(name), exact: flag, textOnly: flag, keepGoing: flag };

const BLOCK: Schema<T.HostBlock> = { kind: required(text), title: text, text: required(text) };

const block: Kind<T.HostBlock> = (value, path, refuse) => void checkForeign(value as object, BLOCK, path, refuse);

const blocks: Kind<readonly T.HostBlock[]> = (value, path, refuse) =>
  value === null ? undefined : items(value, block, path, refuse);

/** What the hook `preCompact` returns. */
export const HOOK_REPLY: Schema<T.PreCompactWish> = { instructions: text, pins: checkedLater, blocks, skip: flag };

const paragraphs: Kind<string | readonly string[]> = (value, path, refuse) =>
  typeof value === "string" ? undefined : items(value, text, path, refuse) && "a text or a list of texts";

const TRIGGERS: readonly T.Trigger[] = [
  "threshold",
  "overflow",
  "provider_error",
  "manual",
  "range",
  "model_switch",
  "memory_pressure",
  "agent_request",
];

/** What a single compaction is asked for; a conversation says these itself. */
type Asked = "budget" | "llm" | "signal" | "focus" | "force" | "timeoutMs" | "onProgress";

/** What holds for every compaction of a conversation. */
export const LASTING: Schema<Omit<T.CompactOptions, keyof T.CountOptions | Asked>> = {
  targetShare: positiveShare,
  provider: PROVIDERS,
  limits: LIMITS,
  onFailure: ["leave", "offline"],
  keep: messageIds,
  maxLlmTokens: whole,
  ledger: LEDGER,
  profile: checkedLater,
  ladder: texts as Kind<any>,
  protect: checkedLater,
  exempt: texts,
  trigger: TRIGGERS,
  shape: ["fork", "full", "simple"],
  cacheWarm: flag,
  recordProfile: ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"],
  verify: ["auto", "always", "never"],
  strict: flag,
  llmModel: model,
  modelRules: (value, path, refuse) => items(value, MODEL_RULE, path, refuse),
  instructions: paragraphs,
  blocks,
  transcript: { path: required(name), lines: whole, tool: text, argument: text },
  recallTool: text,
  readFile: callback,
  hooks,
  hookTimeoutMs: milliseconds,
  jobId: text,
  cover: { from: messageId, to: messageId },
  prices: PRICES,
};

const ASKED: Schema<Pick<T.CompactOptions, Asked>> = {
  budget: required(whole),
  llm: callback,
  signal,
  focus: text,
  force: flag,
  timeoutMs: milliseconds,
  onProgress: callback,
};

export const COMPACT: Schema<T.CompactOptions> = { ...COUNTING, ...ASKED, ...LASTING };

/** As a log takes them: how messages are counted is the log's. */
export const LOG_COMPACT: Schema<Omit<T.CompactOptions, keyof T.CountOptions> & { planId?: string }> = {
  ...ASKED,
  ...LASTING,
  trigger: text as Kind<any>,
  planId: text,
};

export const SUMMARIZE: Schema<T.SummarizeOptions> = {
  ...COUNTING,
  focus: text,
  signal,
  timeoutMs: milliseconds,
  onProgress: callback,
  ledger: LEDGER,
  recordProfile: LASTING.recordProfile,
  verify: LASTING.verify,
  llmModel: model,
  modelRules: LASTING.modelRules,
  instructions: paragraphs,
  jobId: text,
  profile: checkedLater,
  purpose: required(["handoff"]),
  llm: required(callback),
  maxLlmTokens: whole,
  onFailure: LASTING.onFailure,
};

export const QUALITY: Schema<T.QualityOptions> = {
  ...COUNTING,
  ledger: LEDGER,
  summary: text,
  continuation: checkedLater,
};
