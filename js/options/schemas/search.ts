/** The options of public calls: workspace search: the index. */

import { isBytes } from "../../files/bytes.ts";
import type { EmbedOptions, IndexOptions, SearchOptions, WorkOptions } from "../../search/types.ts";
import { check } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import {
  amount,
  callback,
  encoding,
  flag,
  isWhole,
  methods,
  name,
  number,
  positive,
  required,
  share,
  signal,
  text,
  timer,
  whole,
} from "../kinds.ts";

const EMBED: Schema<EmbedOptions> = {
  embed: required(callback),
  model: required(name),
  batchSize: positive,
  concurrency: positive,
  timeoutMs: positive,
};

const storage: Kind<any> = (value, path, refuse) =>
  methods(value, ["readBytes", "writeBytes", "list", "delete"], path, refuse);

const source: Kind<any> = (value, path, refuse) => methods(value, ["list", "read"], path, refuse);

const bytes: Kind<any> = (value) =>
  typeof value === "string" || value instanceof URL || isBytes(value)
    ? undefined
    : "the bytes or the URL of a vocabulary";

const slice: Kind<number> = (value) =>
  typeof value === "number" && value > 0 ? undefined : "a number of milliseconds above 0";

export const INDEX: Schema<IndexOptions> = {
  profile: text as Kind<any>,
  encoding,
  maxChunkTokens: number,
  storage,
  source,
  definitions: callback,
  embeddings: EMBED,
  worker: callback,
  vocabulary: bytes,
  onWarning: callback,
  sliceMs: slice,
};

export const WORK: Schema<WorkOptions> = { signal, onProgress: callback };

const WHOLE: Schema<{ files: number; tokens: number }> = { files: required(whole), tokens: required(whole) };

const fullWorkspace: Kind<any> = (value, path, refuse) =>
  value === false ? undefined : void check(value as object, WHOLE, path, refuse);

const results: Kind<number> = (value) =>
  isWhole(value, 1) && value < 2 ** 32 ? undefined : "a whole number of at least 1";

export const SEARCH: Schema<SearchOptions> = {
  budget: whole,
  maxResults: results,
  maxSpread: share,
  contributions: flag,
  filter: callback,
  remote: callback,
  remoteTimeoutMs: timer,
  embeddingsTimeoutMs: timer,
  minSimilarityShare: share,
  rerank: callback,
  rerankTimeoutMs: timer,
  keywords: callback,
  keywordsTimeoutMs: timer,
  fullWorkspace,
  combine: ["race", "fuse"],
  rrfK: amount,
  readTimeoutMs: timer,
  hitShare: share,
  summarize: callback,
  summarizeTimeoutMs: timer,
  signal,
};
