/** What every entry exports. */

export { breakdown, compact, count, countMessages, prune } from "./api.ts";
export {
  documentStructure, documentStructureSync, flattenTree, hasGrammar, languageOf, languages, loadGrammar, loadGrammarSync, registerGrammar,
} from "./documents.ts";
export type {
  Basis, DocumentOptions, DocumentStructure, FlatTree, GrammarRegistration, GrammarSource, LoadGrammarOptions, ParseLimits, StructureNode,
  TreeCursorLike, TreeLike, Why,
} from "./documents.ts";
export { EspalierError } from "./errors.ts";
export { initFrom, initSync, isReady } from "./engine.ts";
export type { WasmSource } from "./engine.ts";
export { Calibration, clearCache, countBatch, decode, encode, estimate, prefixWithin, suffixWithin, tokenOffsets } from "./tokens.ts";
export type { Estimate, Estimator, Fit, Prediction, TextOptions } from "./tokens.ts";
export { TokenWorker } from "./token-worker.ts";
export type { TokenWorkerOptions, WorkerLike } from "./token-worker.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "./vocabulary.ts";
export type * from "./types.ts";
