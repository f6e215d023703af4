/** The options of public calls: results of tools. The compiler holds each list equal to its type. */

import type { ToolContentOptions } from "../../results/tool-content.ts";
import type { FitOptions, OffloadOptions, TruncateOptions } from "../../results/truncate.ts";
import type * as T from "../../types/index.ts";
import type { Names } from "../known.ts";

export const TRUNCATE: Names<TruncateOptions> = {
  limit: 1,
  head: 1,
  snap: 1,
  keep: 1,
  json: 1,
  clean: 1,
  recall: 1,
  marker: 1,
  profile: 1,
  encoding: 1,
};

export const JSON_SCHEMA: Names<{ limit: 1; profile: 1; encoding: 1 }> = { limit: 1, profile: 1, encoding: 1 };

export const FIT: Names<FitOptions> = { budget: 1, level: 1 };

export const OFFLOAD: Names<OffloadOptions> = {
  store: 1,
  threshold: 1,
  tool: 1,
  exempt: 1,
  readTool: 1,
  schemaTokens: 1,
  previewTokens: 1,
  limit: 1,
  timeout: 1,
  profile: 1,
  encoding: 1,
  signal: 1,
  onEvent: 1,
};

export const TOOL_CONTENT: Names<ToolContentOptions> = {
  store: 1,
  threshold: 1,
  tool: 1,
  exempt: 1,
  readTool: 1,
  schemaTokens: 1,
  previewTokens: 1,
  limit: 1,
  timeout: 1,
  profile: 1,
  encoding: 1,
  signal: 1,
  onEvent: 1,
  keep: 1,
  maxImageBytes: 1,
  readResource: 1,
  maxResources: 1,
  resourceLines: 1,
};

export const BUDGET_RESULTS: Names<T.BudgetResultsOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  keep: 1,
  exempt: 1,
  store: 1,
  timeout: 1,
  onEvent: 1,
  signal: 1,
  maxImageBytes: 1,
  budget: 1,
  rule: 1,
  level: 1,
  cap: 1,
  profile: 1,
};

export const CLEAR_RESULTS: Names<T.ClearResultsOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  keep: 1,
  exempt: 1,
  store: 1,
  timeout: 1,
  onEvent: 1,
  signal: 1,
  maxImageBytes: 1,
  profile: 1,
  budget: 1,
  above: 1,
  newest: 1,
  rounds: 1,
  protect: 1,
  atLeast: 1,
  protectLatest: 1,
};
