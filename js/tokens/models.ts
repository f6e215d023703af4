/** What is known of models by their names. */

import { call, wasm } from "../engine/engine.ts";
import { encodingForModel } from "./count.ts";
import { outputLimitOf } from "./output-limits.ts";
import type { EncodingName, NamedFacts, Origin } from "../types/generated/count.ts";

/** What is known of a model. */
export interface ModelFacts extends NamedFacts {
  /** The encoding that counts its tokens, and whether it is the model's own. */
  encoding: EncodingName;
  origin: Origin;
  /** The origin of window and prices: a package, its version, its date. */
  source: string;
  /** Max tokens of an answer, those of reasoning included. Absent if the provider publishes no such limit. */
  maxOutputTokens?: number;
  /** The origin of `maxOutputTokens`: a page or a package, and its date or that on which it was looked up. */
  outputSource?: string;
}

/**
 * Returns the window, the max tokens of an answer and the prices of a model by its name, from data with a date;
 * undefined for an unknown name. The name may have the path of a router or of a platform. `prune` and conversations use
 * the same windows for a model whose limits you do not state, and `report.limitSource` says so (`modelName`;
 * `assumedLimit` for an unknown name).
 *
 * ```ts
 * import { usageCost } from "espalier/cache";
 * import { modelFacts } from "espalier/tokens";
 *
 * const facts = modelFacts("anthropic/claude-sonnet-4-5-20250929");
 * facts?.contextWindow; // => 200000
 * facts?.maxOutputTokens; // => 64000
 * const { cost } = usageCost({ input: 2_000, cacheRead: 98_000, output: 500 }, facts?.prices); // per million tokens
 * (cost / 1_000_000).toFixed(4); // => "0.0429"
 * modelFacts("my-own-model"); // => undefined
 * ```
 *
 * @throws EspalierError `bad_option` if `model` is not text
 */
export function modelFacts(model: string): ModelFacts | undefined {
  const { encoding, origin } = encodingForModel(model);
  const found = call(() => wasm().modelFacts(model)) as (NamedFacts & { source: string }) | null | undefined;
  if (!found) return undefined;
  const output = outputLimitOf(model);
  return { ...found, encoding, origin, ...(output && { maxOutputTokens: output.tokens, outputSource: output.source }) };
}
