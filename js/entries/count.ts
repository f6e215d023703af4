/**
 * `espalier/count`: names, types and errors of `espalier` and `espalier/tokens`, driving the engine that only counts.
 */

export { count, encodingForModel } from "../tokens/count.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";
export { initFrom, initSync, isReady } from "../engine/engine.ts";
export type { WasmSource } from "../engine/engine.ts";
export { EspalierError, isEspalierError } from "../errors/errors.ts";
export { TokenWorker } from "../tokens/worker.ts";
export type { TokenWorkerOptions } from "../tokens/worker.ts";
export type { WorkerLike } from "../tokens/worker-like.ts";
export {
  clearCache,
  countBatch,
  decode,
  encode,
  estimate,
  prefixWithin,
  suffixWithin,
  tokenOffsets,
} from "../tokens/texts.ts";
export type { Estimate, Estimator, Fit, TextOptions } from "../tokens/texts.ts";
export type { EncodingName, Origin } from "../types/count.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../engine/vocabulary.ts";
