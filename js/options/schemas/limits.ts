/** The options of public calls: limits of requests that are not tokens. */

import type * as T from "../../types/index.ts";
import type { Schema } from "../check.ts";
import { limit } from "../kinds.ts";

/** Limits of a request that are not tokens. */
export const LIMITS: Schema<Omit<T.RequestLimits, "maxTokens">> = {
  maxBytes: limit,
  maxMessages: limit,
  maxTools: limit,
  maxImages: limit,
  maxImageBytes: limit,
  maxImageSide: limit,
  maxImageSideOfMany: limit,
};
