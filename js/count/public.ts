/**
 * What every `espalier/count` entry exports: names, types and errors of the root's, driving the engine that only
 * counts.
 */

export { count, encodingForModel } from "./text.ts";
export { initFrom, initSync, isReady } from "../engine.ts";
export type { WasmSource } from "../engine.ts";
export { EspalierError, isEspalierError } from "../errors.ts";
export { TokenWorker } from "../token-worker.ts";
export type { TokenWorkerOptions, WorkerLike } from "../token-worker.ts";
export { clearCache, countBatch, decode, encode, estimate, prefixWithin, suffixWithin, tokenOffsets } from "../tokens.ts";
export type { Estimate, Estimator, Fit, TextOptions } from "../tokens.ts";
export type { EncodingName, Origin } from "../types.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../vocabulary.ts";
