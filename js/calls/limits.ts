/** Reads what a model's name or limits allow for a request. */

import { call, wasm } from "../engine/engine.ts";
import { badOption as bad } from "../errors/errors.ts";
import { noSlip } from "../options/known.ts";
import { MODEL } from "../options/names/counting.ts";
import { tokens } from "../options/tokens.ts";
import { windowByName } from "../options/windows.ts";
import type { LimitSource, ModelLimits, PruneOptions } from "../types/prune.ts";

/** What a request may have, and who says so. */
export function limitFor(options: Pick<PruneOptions, "budget" | "model">): { tokens: number; source: LimitSource } {
  tokens(options, "budget", false);
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

/** A model's name alone, or all that is known of it. */
export function modelOf(model: string | ModelLimits | undefined, option = "model"): ModelLimits {
  if (model === undefined || typeof model === "string") return model === undefined ? {} : { name: model };
  if (typeof model !== "object" || model === null) throw bad(option, "the name of a model or its limits", model);
  noSlip(model, MODEL, `options.${option}`);
  const limits: ModelLimits = {};
  for (const field of ["maxPromptTokens", "maxContextWindowTokens", "outputReserve", "defaultTier"] as const) {
    tokens(model, field, false, `options.${option}`);
    if (model[field] !== undefined) limits[field] = model[field];
  }
  tokens(model, "maxInputTokens", false, `options.${option}`);
  if (limits.maxPromptTokens === undefined && model.maxInputTokens !== undefined)
    limits.maxPromptTokens = model.maxInputTokens;
  if (model.surcharge !== undefined && typeof model.surcharge !== "boolean")
    throw bad(`${option}.surcharge`, "true or false", model.surcharge);
  if (model.surcharge !== undefined) limits.surcharge = model.surcharge;
  if (model.name !== undefined && typeof model.name !== "string")
    throw bad(`${option}.name`, "the name of a model", model.name);
  return { ...(model.name !== undefined && { name: model.name }), ...limits };
}
