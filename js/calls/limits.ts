/** Reads the limits of a request from a model's name or limits. */

import { call, wasm } from "../engine/engine.ts";
import { defined } from "../options/data.ts";
import { windowByName } from "../options/windows.ts";
import type { LimitSource, ModelLimits, PruneOptions } from "../types/prune.ts";

/** Returns the max tokens of a request, and the source of that limit. */
export function limitFor(options: Pick<PruneOptions, "budget" | "model">): { tokens: number; source: LimitSource } {
  const { name, maxPromptTokens, maxContextWindowTokens, outputReserve } = modelOf(options.model);
  const isStated = [options.budget, maxPromptTokens, maxContextWindowTokens].some((stated) => stated !== undefined);
  const window = isStated ? undefined : windowByName(name);
  const limit = call(
    () =>
      wasm().limitOf(options.budget, maxPromptTokens, maxContextWindowTokens ?? window, outputReserve) as {
        tokens: number;
        source: LimitSource;
      },
  );
  return window === undefined ? limit : { ...limit, source: "modelName" };
}

/** Returns the known facts of a checked model: its name alone, or its limits. */
export function modelOf(model: string | ModelLimits | undefined): ModelLimits {
  if (model === undefined || typeof model === "string") return model === undefined ? {} : { name: model };
  const { name, maxInputTokens, maxPromptTokens = maxInputTokens, maxContextWindowTokens } = model;
  const { outputReserve, defaultTier, surcharge } = model;
  return defined({ name, maxPromptTokens, maxContextWindowTokens, outputReserve, defaultTier, surcharge });
}
