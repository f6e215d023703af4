/** The options of public calls: compaction. The compiler holds each list equal to its type. */

import type * as T from "../../types/index.ts";
import type { Names } from "../known.ts";

export const COMPACT: Names<T.CompactOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
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
};

export const SUMMARIZE: Names<T.SummarizeOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  focus: 1,
  signal: 1,
  timeout: 1,
  onProgress: 1,
  ledger: 1,
  sections: 1,
  verify: 1,
  llmModel: 1,
  modelRules: 1,
  instructions: 1,
  jobId: 1,
  profile: 1,
  purpose: 1,
  llm: 1,
  llmBudget: 1,
  onFailure: 1,
};

export const QUALITY: Names<T.QualityOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  ledger: 1,
  summary: 1,
  continuation: 1,
};

export const LEDGER: Names<T.LedgerRules> = { root: 1, tools: 1, dialect: 1, markers: 1, facts: 1 };

export const TOOL_RULE: Names<T.ToolRule> = { name: 1, kind: 1, path: 1, command: 1, content: 1, readOnly: 1 };

export const TRANSCRIPT: Names<NonNullable<T.CompactOptions["transcript"]>> = {
  path: 1,
  lines: 1,
  tool: 1,
  argument: 1,
};

export const HOOKS: Names<T.CompactHooks> = { preCompact: 1, postCompact: 1 };

export const COVER: Names<NonNullable<T.CompactOptions["cover"]>> = { from: 1, to: 1 };
