/** The options of public calls: requests. The compiler holds each list equal to its type. */

import type { RequestOptions } from "../../calls/request.ts";
import type * as T from "../../types/index.ts";
import type { Names } from "../known.ts";

export const PRUNE: Names<T.PruneOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  budget: 1,
  headroom: 1,
  keep: 1,
  backfill: 1,
  order: 1,
  priorities: 1,
  note: 1,
  sentenceShare: 1,
  previous: 1,
  cacheStep: 1,
  dropMedia: 1,
  maxImageBytes: 1,
  provider: 1,
  serverManaged: 1,
};

export const REQUEST: Names<RequestOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  budget: 1,
  headroom: 1,
  keep: 1,
  backfill: 1,
  order: 1,
  priorities: 1,
  note: 1,
  sentenceShare: 1,
  previous: 1,
  cacheStep: 1,
  dropMedia: 1,
  maxImageBytes: 1,
  provider: 1,
  serverManaged: 1,
  signal: 1,
  onEvent: 1,
  recovery: 1,
  pruner: 1,
  lowerOutput: 1,
  promptTokens: 1,
  predict: 1,
  date: 1,
};

export const VALIDATE: Names<T.ValidateOptions> = { format: 1, tools: 1, model: 1, purpose: 1, rules: 1, pending: 1 };

export const REPAIR: Names<T.RepairOptions> = {
  format: 1,
  tools: 1,
  model: 1,
  purpose: 1,
  rules: 1,
  pending: 1,
  provider: 1,
  orphans: 1,
  lostCalls: 1,
  dropThoughts: 1,
  opening: 1,
  closing: 1,
  lostText: 1,
};

export const MARKS: Names<T.MarkOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  profile: 1,
  scheme: 1,
  max: 1,
  lifetime: 1,
  previousNewest: 1,
  minimumPrefix: 1,
  summary: 1,
  system: 1,
  style: 1,
  providerKey: 1,
  dataPart: 1,
};

export const LIFETIME: Names<{ prefix: 1; messages: 1 }> = { prefix: 1, messages: 1 };

export const PREFIX: Names<T.PrefixOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  previousTools: 1,
  report: 1,
  previousReport: 1,
  counts: 1,
};

export const CACHE_COST: Names<T.CacheCostOptions> = {
  total: 1,
  shared: 1,
  marked: 1,
  output: 1,
  hitRate: 1,
  prices: 1,
  lifetime: 1,
};

export const CLEARING: Names<T.ClearingOptions> = {
  cleared: 1,
  suffix: 1,
  replacement: 1,
  extra: 1,
  requests: 1,
  hitRate: 1,
  prices: 1,
  lifetime: 1,
};

export const PRICES: Names<T.Prices> = { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 };

export const USAGE_COST: Names<{ lifetime: 1 }> = { lifetime: 1 };

export const TRIES: Names<{ outputReserve: 1 }> = { outputReserve: 1 };
