/** The options of `replayCost`. */

import type { ReplayCostOptions } from "../../bill/types.ts";
import { callback, checkedLater, milliseconds, name, positive } from "../kinds.ts";
import type { Kind, Schema } from "../check.ts";
import { COUNTING } from "./counting.ts";
import { LIFETIMES, PRICES } from "./requests.ts";

const { tokenizer: _, imageSize: __, ...counting } = COUNTING;

/** Times of messages, in milliseconds since any moment; a message may have none. */
const times: Kind<readonly (number | undefined)[]> = (value, path, refuse) => {
  if (!Array.isArray(value)) return "a list of times in milliseconds";
  for (const [at, time] of (value as unknown[]).entries()) {
    if (time !== undefined && !Number.isFinite(time))
      throw refuse(`${path}[${at}]`, "a number of milliseconds, or undefined", time);
  }
  return undefined;
};

export const REPLAY_COST: Schema<ReplayCostOptions> = {
  ...counting,
  model: name,
  window: positive,
  budget: positive,
  lifetime: LIFETIMES,
  times,
  paceMs: milliseconds,
  prices: PRICES,
  llm: callback,
  summaryTokens: positive,
  profile: checkedLater,
  onProgress: callback,
};
