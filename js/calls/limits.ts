/** Reads the limits of a request from a model's name or limits. */

import { call, wasm } from "../engine/engine.ts";
import { defined } from "../options/data.ts";
import { outputLimitOf } from "../tokens/output-limits.ts";
import type { LimitSource, ModelLimits, PruneOptions } from "../types/prune.ts";

/** The core's default, if a quarter of the window is not less (`OUTPUT_RESERVE` in `core/src/history/limits.rs`). */
const OUTPUT_RESERVE = 4_096;

/** Returns the max tokens of a request, and the source of that limit. */
export function limitFor({ budget, model }: Pick<PruneOptions, "budget" | "model">) {
  const { name } = modelOf(model);
  return call(() => wasm().limitOf(budget, limitFields(model), name) as { tokens: number; source: LimitSource });
}

/** Returns the known limits of a model, in the core's form. */
export function limitFields(model: string | ModelLimits | undefined) {
  const { maxPromptTokens, maxContextWindowTokens } = modelOf(model);
  return { maxPromptTokens, maxContextWindowTokens, outputReserve: reserveOf(model) };
}

/** Returns the max tokens of an answer: stated, or by the model's name. */
export function maxOutputOf(model: string | ModelLimits | undefined): number {
  const { name, maxOutputTokens } = modelOf(model);
  return maxOutputTokens ?? outputLimitOf(name)?.tokens ?? Infinity;
}

/**
 * Returns the output tokens to leave free, no more than the model can write; undefined for the core's default, which is
 * at most a quarter of the window.
 */
export function reserveOf(model: string | ModelLimits | undefined): number | undefined {
  const { outputReserve } = modelOf(model);
  const most = maxOutputOf(model);
  if (outputReserve !== undefined) return Math.min(outputReserve, most);
  return most < OUTPUT_RESERVE && most < (knownWindow(model) ?? 0) / 4 ? most : undefined;
}

/** Returns the reserve of a report: only one that was lowered, for a limit that depends on it. */
export function loweredReserve(model: string | ModelLimits | undefined, source: LimitSource) {
  const [stated, outputReserve] = [modelOf(model).outputReserve, reserveOf(model)];
  const isUsed = source === "contextWindow" || source === "modelName";
  return isUsed && outputReserve !== undefined && outputReserve !== stated ? { outputReserve } : {};
}

/** Returns the known facts of a checked model: its name alone, or its limits. */
export function modelOf(model: string | ModelLimits | undefined): ModelLimits {
  if (model === undefined || typeof model === "string") return model === undefined ? {} : { name: model };
  const { name, maxInputTokens, maxPromptTokens = maxInputTokens, maxContextWindowTokens } = model;
  const { outputReserve, maxOutputTokens, defaultTier, surcharge } = model;
  const output = { outputReserve, maxOutputTokens };
  return defined({ name, maxPromptTokens, maxContextWindowTokens, ...output, defaultTier, surcharge });
}

/** Returns the known tokens of a model's window: stated, or by its name. */
export function knownWindow(model: string | ModelLimits | undefined): number | undefined {
  const { tokens, source } = limitFor({ model: { ...modelOf(model), outputReserve: 0 } });
  return source === "assumedLimit" ? undefined : tokens;
}
