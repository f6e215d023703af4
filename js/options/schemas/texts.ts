/** The options of public calls: texts alone, and what has to be loaded to count them. */

import type { InitOptions } from "../../engine/init.ts";
import type { Estimator } from "../../tokens/texts.ts";
import type { TokenWorkerOptions } from "../../tokens/worker.ts";
import type * as T from "../../types/index.ts";
import { items } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import { callback, checkedLater, encoding, milliseconds, required, signal, text } from "../kinds.ts";

export const TEXT: Schema<{ encoding?: T.EncodingName }> = { encoding };

export const COUNT_TEXT: Schema<{ encoding?: T.EncodingName; model?: string }> = { encoding, model: text };

const ESTIMATORS: readonly Estimator[] = ["sample", "quarter", "three-quarters", "gemini"];

export const ESTIMATE: Schema<{ encoding?: T.EncodingName; rule?: Estimator }> = { encoding, rule: ESTIMATORS };

export const WORKER: Schema<TokenWorkerOptions> = {
  create: required(callback),
  vocabularies: required(checkedLater),
  idleMs: milliseconds,
  timeoutMs: milliseconds,
  onWarning: callback,
};

export const WORKER_COUNT: Schema<{ encoding?: T.EncodingName; model?: string; signal?: AbortSignal }> = {
  encoding,
  model: text,
  signal,
};

const encodings: Kind<readonly T.EncodingName[]> = (value, path, refuse) =>
  items(value, encoding, path, refuse) && "a list of names of encodings";

export const INIT: Schema<InitOptions> = { wasm: checkedLater, encodings, vocabulary: callback };
