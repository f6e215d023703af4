/** The options of public calls: conversations and logs. The compiler holds each list equal to its type. */

import type { ConversationOptions, PrepareOptions } from "../../conversation/types.ts";
import type { FindOptions } from "../../log/search.ts";
import type { AdoptOptions, LogCompactOptions, LogImportOptions, LogOptions, LogPinRow } from "../../log/types.ts";
import type { RecallToolOptions } from "../../recall/tool.ts";
import type { Names } from "../known.ts";

export const CONVERSATION: Names<ConversationOptions<unknown>> = {
  encoding: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  messages: 1,
  log: 1,
  storage: 1,
  format: 1,
  model: 1,
  profile: 1,
  provider: 1,
  system: 1,
  llm: 1,
  threshold: 1,
  contextSize: 1,
  preferLongContext: 1,
  automatic: 1,
  serverManaged: 1,
  background: 1,
  entropy: 1,
  clock: 1,
  timeouts: 1,
  checkpoints: 1,
  hooks: 1,
  compact: 1,
  onEvent: 1,
  eventNames: 1,
  session: 1,
  search: 1,
};

export const CONVERSATION_COMPACT: Names<NonNullable<ConversationOptions<unknown>["compact"]>> = {
  target: 1,
  provider: 1,
  onFailure: 1,
  keep: 1,
  llmBudget: 1,
  ledger: 1,
  profile: 1,
  ladder: 1,
  protect: 1,
  exempt: 1,
  trigger: 1,
  shape: 1,
  cacheWarm: 1,
  sections: 1,
  verify: 1,
  strict: 1,
  llmModel: 1,
  modelRules: 1,
  instructions: 1,
  blocks: 1,
  transcript: 1,
  recallTool: 1,
  readFile: 1,
  hooks: 1,
  hookTimeout: 1,
  jobId: 1,
  cover: 1,
  prices: 1,
};

export const TIMEOUTS: Names<NonNullable<ConversationOptions<unknown>["timeouts"]>> = {
  wait: 1,
  model: 1,
  hook: 1,
  storage: 1,
};

export const PREPARE: Names<PrepareOptions> = { tools: 1, model: 1, system: 1, signal: 1 };

export const BY_HAND: Names<{ focus: 1; signal: 1 }> = { focus: 1, signal: 1 };

export const PREVIEW: Names<{ focus: 1; summary: 1; model: 1; signal: 1; from: 1; to: 1 }> = {
  focus: 1,
  summary: 1,
  model: 1,
  signal: 1,
  from: 1,
  to: 1,
};

export const MEMORY: Names<{ model: 1 }> = { model: 1 };

export const LOG: Names<LogOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  tokenizer: 1,
  now: 1,
  search: 1,
};

export const RECALL: Names<RecallToolOptions> = { name: 1, format: 1, limit: 1 };

export const FIND: Names<FindOptions> = { limit: 1, onlyHidden: 1 };

export const LOG_IMPORT: Names<LogImportOptions<unknown>> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  tokenizer: 1,
  now: 1,
  search: 1,
  messages: 1,
  exact: 1,
  salvage: 1,
};

export const LOG_COUNTING: Names<Pick<LogOptions, "encoding" | "model" | "costModel">> = {
  encoding: 1,
  model: 1,
  costModel: 1,
};

/** Of a pin, and of a row of `pins()`, which can be pinned again. */
export const PIN: Names<LogPinRow> = {
  message: 1,
  part: 1,
  range: 1,
  fact: 1,
  reason: 1,
  id: 1,
  text: 1,
  tokens: 1,
  rewound: 1,
};

export const ADOPT: Names<AdoptOptions> = { since: 1, trigger: 1, planId: 1, data: 1 };

export const LOG_COMPACT: Names<LogCompactOptions> = {
  budget: 1,
  target: 1,
  provider: 1,
  llm: 1,
  focus: 1,
  force: 1,
  onFailure: 1,
  keep: 1,
  signal: 1,
  llmBudget: 1,
  timeout: 1,
  onProgress: 1,
  ledger: 1,
  profile: 1,
  ladder: 1,
  protect: 1,
  exempt: 1,
  trigger: 1,
  shape: 1,
  cacheWarm: 1,
  sections: 1,
  verify: 1,
  strict: 1,
  llmModel: 1,
  modelRules: 1,
  instructions: 1,
  blocks: 1,
  transcript: 1,
  recallTool: 1,
  readFile: 1,
  hooks: 1,
  hookTimeout: 1,
  jobId: 1,
  cover: 1,
  prices: 1,
  planId: 1,
};
