/** The options of public calls: counting. The compiler holds each list equal to its type. */

import type { InitOptions } from "../../engine/init.ts";
import type { TokenWorkerOptions } from "../../tokens/worker.ts";
import type * as T from "../../types/index.ts";
import type { Names } from "../known.ts";

export const COUNT_TEXT: Names<{ encoding: 1; model: 1 }> = { encoding: 1, model: 1 };

export const TEXT: Names<{ encoding: 1 }> = { encoding: 1 };

export const ESTIMATE: Names<{ encoding: 1; rule: 1 }> = { encoding: 1, rule: 1 };

export const COUNT: Names<T.CountOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
};

export const COUNT_PART: Names<Omit<T.CountOptions, "tools"> & { role: 1 }> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  role: 1,
};

export const BREAKDOWN: Names<T.BreakdownOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  room: 1,
  tags: 1,
};

export const ROOM: Names<NonNullable<T.BreakdownOptions["room"]>> = {
  window: 1,
  outputReserve: 1,
  blockLine: 1,
  reported: 1,
};

export const MODEL: Names<T.ModelLimits> = {
  name: 1,
  maxPromptTokens: 1,
  maxInputTokens: 1,
  maxContextWindowTokens: 1,
  outputReserve: 1,
  defaultTier: 1,
  surcharge: 1,
};

export const WORKER: Names<TokenWorkerOptions> = { create: 1, vocabularies: 1, idle: 1, timeout: 1, onWarning: 1 };

export const WORKER_COUNT: Names<{ encoding: 1; signal: 1 }> = { encoding: 1, signal: 1 };

export const INIT: Names<InitOptions> = { wasm: 1, encodings: 1, vocabulary: 1 };
