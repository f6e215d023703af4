/** The options of public calls: workspace search: the index. The compiler holds each list equal to its type. */

import type { EmbedOptions, IndexOptions, SearchOptions, WorkOptions } from "../../search/types.ts";
import type { Names } from "../known.ts";

export const INDEX: Names<IndexOptions> = {
  profile: 1,
  encoding: 1,
  chunkBudget: 1,
  storage: 1,
  source: 1,
  definitions: 1,
  embeddings: 1,
  worker: 1,
  vocabulary: 1,
  onWarning: 1,
  sliceMs: 1,
};

export const EMBED: Names<EmbedOptions> = { embed: 1, model: 1, batchSize: 1, concurrency: 1, timeoutMs: 1 };

export const WORK: Names<WorkOptions> = { signal: 1, onProgress: 1 };

export const SEARCH: Names<SearchOptions> = {
  budget: 1,
  maxResults: 1,
  maxSpread: 1,
  contributions: 1,
  filter: 1,
  remote: 1,
  remoteTimeoutMs: 1,
  embeddingsTimeoutMs: 1,
  minSimilarityShare: 1,
  rerank: 1,
  rerankTimeoutMs: 1,
  keywords: 1,
  keywordsTimeoutMs: 1,
  fullWorkspace: 1,
  combine: 1,
  rrfK: 1,
  readTimeoutMs: 1,
  hitShare: 1,
  summarize: 1,
  summarizeTimeoutMs: 1,
  signal: 1,
};

export const WHOLE: Names<{ files: number; tokens: number }> = { files: 1, tokens: 1 };
