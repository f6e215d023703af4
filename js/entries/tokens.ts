/** `espalier/tokens`: tokens of texts, parts and tools, estimates, calibration, the counting worker. */

export { breakdown, countPart, countTools } from "../calls/count.ts";
export { encodingForModel } from "../tokens/count.ts";
export { modelFacts } from "../tokens/models.ts";
export type { ModelFacts } from "../tokens/models.ts";
export type { DollarPrices } from "../types/generated/count.ts";
export {
  Calibration,
  clearCache,
  countBatch,
  estimate,
  prefixWithin,
  suffixWithin,
  tokenOffsets,
} from "../tokens/texts.ts";
export type { Estimate, Estimator, Fit, Prediction } from "../tokens/texts.ts";
export { TokenWorker } from "../tokens/worker.ts";
export type { TokenWorkerOptions } from "../tokens/worker.ts";
export type { WorkerLike } from "../tokens/worker-like.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../engine/vocabulary.ts";
