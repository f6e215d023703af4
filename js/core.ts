/** What every entry exports. */

export { breakdown, compact, count, countMessages, prune } from "./api.ts";
export { EspalierError } from "./errors.ts";
export { initFrom, initSync, isReady } from "./engine.ts";
export type { WasmSource } from "./engine.ts";
export { ConversationLog } from "./log.ts";
export type * from "./log-types.ts";
export { Calibration, clearCache, countBatch, decode, encode, estimate, prefixWithin, suffixWithin, tokenOffsets } from "./tokens.ts";
export type { Estimate, Estimator, Fit, Prediction, TextOptions } from "./tokens.ts";
export { TokenWorker } from "./token-worker.ts";
export type { TokenWorkerOptions, WorkerLike } from "./token-worker.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "./vocabulary.ts";
export type * from "./types.ts";
