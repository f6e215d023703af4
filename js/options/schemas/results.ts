/** The options of public calls: results of tools. */

import type { ToolContentOptions } from "../../results/tool-content.ts";
import type { EarlierResult, ReduceOutputOptions } from "../../results/reduce.ts";
import type {
  FitOptions,
  JsonSchemaOptions,
  OffloadOptions,
  ResultSize,
  TruncateOptions,
} from "../../results/truncate.ts";
import type { FitToolsOptions, ToolCut } from "../../tools/fit-tools.ts";
import type * as T from "../../types/index.ts";
import { checkForeign, items } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import {
  callback,
  ceiling,
  checkedLater,
  encoding,
  flag,
  messageIds,
  milliseconds,
  positiveShare,
  required,
  share,
  signal,
  text,
  texts,
  whole,
} from "../kinds.ts";
import { COUNTING, model } from "./counting.ts";

const SYSTEMS = ["espalier", "copilot-chat"] as const;

export const TRUNCATE: Schema<TruncateOptions> = {
  maxTokens: required(whole),
  headShare: share,
  snap: ["lines", "characters"],
  keep: ["ends", "errors"],
  json: flag,
  clean: flag,
  command: text,
  recall: text,
  marker: text,
  profile: SYSTEMS,
  encoding,
};

const EARLIER: Schema<EarlierResult> = { name: required(text), text: required(text) };

const earlier: Kind<readonly EarlierResult[]> = (value, path, refuse) =>
  items(value, (item, at, how) => void checkForeign(item as object, EARLIER, at, how), path, refuse);

export const REDUCE_OUTPUT: Schema<ReduceOutputOptions> = { command: text, recall: text, earlier, encoding };

export const JSON_SCHEMA: Schema<JsonSchemaOptions> = {
  maxTokens: whole,
  profile: SYSTEMS,
  encoding,
};

const SIZE: Schema<ResultSize> = { tokens: required(whole), age: required(whole) };

export const SIZES: Kind<readonly ResultSize[]> = required((value, path, refuse) =>
  items(value, (item, at, how) => void checkForeign(item as object, SIZE, at, how), path, refuse),
);

export const FIT: Schema<FitOptions> = { budget: required(whole), level: whole };

const TOOL_CUT: Schema<ToolCut> = { level: whole, deferred: required(texts) };

const { tools: _, ...COUNTED } = COUNTING;

/** How definitions are made to fit, whatever their budget. */
export const TOOL_FIT: Schema<Pick<FitToolsOptions, "keep" | "search">> = {
  keep: texts,
  search: ["loader", "provider", "none"],
};

export const FIT_TOOLS: Schema<FitToolsOptions> = {
  ...COUNTED,
  model,
  budget: whole,
  toolsShare: positiveShare,
  maxTools: ceiling,
  messages: checkedLater,
  ...TOOL_FIT,
  previous: (value, path, refuse) => void checkForeign(value as object, TOOL_CUT, path, refuse),
};

export const OFFLOAD: Schema<OffloadOptions> = {
  store: required(callback),
  maxInlineTokens: whole,
  tool: text,
  exempt: texts,
  readTool: text,
  maxSchemaTokens: whole,
  maxPreviewTokens: whole,
  maxTokens: whole,
  timeoutMs: milliseconds,
  profile: SYSTEMS,
  encoding,
  signal,
  onEvent: callback,
};

export const TOOL_CONTENT: Schema<ToolContentOptions> = {
  ...OFFLOAD,
  store: callback,
  onEvent: callback,
  keep: ["ends", "errors"],
  command: text,
  recall: text,
  earlier,
  maxImageBytes: ceiling,
  readResource: callback,
  maxResources: ceiling,
  maxResourceLines: ceiling,
};

/** What both ways to make room among results have in common. */
const RESULTS: Schema<Pick<T.ClearResultsOptions, keyof T.ResultsOptions>> = {
  ...COUNTING,
  keep: messageIds,
  exempt: texts,
  store: callback,
  timeoutMs: milliseconds,
  onEvent: callback,
  signal,
  maxImageBytes: ceiling,
};

export const BUDGET_RESULTS: Schema<T.BudgetResultsOptions> = {
  ...RESULTS,
  budget: whole,
  rule: ["water-level", "newest-first"],
  level: whole,
  maxResultTokens: whole,
  profile: ["espalier", "gemini-cli"],
};

export const CLEAR_RESULTS: Schema<T.ClearResultsOptions> = {
  ...RESULTS,
  profile: ["espalier", "anthropic", "gemini-cli"],
  budget: whole,
  minRequestTokens: whole,
  newest: whole,
  rounds: whole,
  minKeptTokens: whole,
  minFreedTokens: whole,
  protectLatest: flag,
};
