/** The options of public calls: counting. */

import type * as T from "../../types/index.ts";
import { checkForeign } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import { callback, checkedLater, encoding, flag, text, values, whole } from "../kinds.ts";

/** What all calls that count messages have in common. */
export const COUNTING: Schema<T.CountOptions> = {
  format: checkedLater,
  encoding,
  tokenizer: callback,
  model: text,
  costModel: text as Kind<any>,
  tools: checkedLater,
  images: checkedLater,
  imageSize: callback,
};

export const COUNT_PART: Schema<Omit<T.CountOptions, "tools"> & { role?: T.Role }> = {
  format: text as Kind<any>,
  encoding,
  tokenizer: callback,
  model: text,
  costModel: text as Kind<any>,
  images: checkedLater,
  imageSize: callback,
  role: text as Kind<any>,
};

const LABELS: Kind<any> = (value, path, refuse) => values(value, text, "labels by tag", path, refuse);

export const BREAKDOWN: Schema<T.BreakdownOptions> = {
  ...COUNTING,
  room: { window: whole, outputReserve: whole, blockLine: whole, reported: whole },
  tags: LABELS,
};

export const MODEL: Schema<T.ModelLimits> = {
  name: text,
  maxPromptTokens: whole,
  maxInputTokens: whole,
  maxContextWindowTokens: whole,
  outputReserve: whole,
  maxOutputTokens: whole,
  defaultTier: whole,
  surcharge: flag,
};

/** True for another library's name of a limit: ignored, it would leave the assumed limit in force. */
const isOtherLimit = (name: string, of: unknown) => typeof of === "number" && /tokens?$|window$|^context/i.test(name);

/** The name of a model, or its limits, which may be a model of VS Code. */
export const model: Kind<string | T.ModelLimits> = (value, path, refuse) => {
  if (typeof value === "string") return undefined;
  if (typeof value !== "object" || value === null) return "the name of a model or its limits";
  checkForeign(value, MODEL, path, refuse, isOtherLimit);
  return undefined;
};
