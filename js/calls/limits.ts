/** Reads the limits of a request from a model's name or limits. */

import { call, wasm } from "../engine/engine.ts";
import { defined } from "../options/data.ts";
import type { LimitSource, ModelLimits, PruneOptions } from "../types/prune.ts";

/** Returns the max tokens of a request, and the source of that limit. */
export function limitFor({ budget, model }: Pick<PruneOptions, "budget" | "model">) {
  return call(() => wasm().limitOf(budget, limitFields(model)) as { tokens: number; source: LimitSource });
}

/** Returns the known limits of a model, in the core's form. */
export function limitFields(model: string | ModelLimits | undefined) {
  const { name, maxPromptTokens, maxContextWindowTokens, outputReserve } = modelOf(model);
  return { maxPromptTokens, maxContextWindowTokens, outputReserve, name };
}

/** Returns the known facts of a checked model: its name alone, or its limits. */
export function modelOf(model: string | ModelLimits | undefined): ModelLimits {
  if (model === undefined || typeof model === "string") return model === undefined ? {} : { name: model };
  const { name, maxInputTokens, maxPromptTokens = maxInputTokens, maxContextWindowTokens } = model;
  const { outputReserve, defaultTier, surcharge } = model;
  return defined({ name, maxPromptTokens, maxContextWindowTokens, outputReserve, defaultTier, surcharge });
}

/** Returns the known tokens of a model's window: stated, or by its name. */
export function knownWindow(model: string | ModelLimits | undefined): number | undefined {
  const { tokens, source } = limitFor({ model: { ...modelOf(model), outputReserve: 0 } });
  return source === "assumedLimit" ? undefined : tokens;
}
