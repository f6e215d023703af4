/** The options of public calls: sessions. */

import type { DiagnoseOptions } from "../../doctor/diagnose.ts";
import type { ConvertOptions } from "../../formats/convert.ts";
import type { ReadSessionOptions } from "../../sessions/types.ts";
import { PROVIDERS } from "../../validity/providers.ts";
import type { Schema } from "../check.ts";
import { checkedLater, flag, limit, positive, text } from "../kinds.ts";
import { COUNTING } from "./counting.ts";
import { LIMITS } from "./limits.ts";

export const READ_SESSION: Schema<ReadSessionOptions> = {
  layout: checkedLater,
  name: text,
  sideChain: text,
  conversation: positive,
  history: flag,
};

export const CONVERT: Schema<ConvertOptions> = { from: checkedLater, tools: checkedLater };

export const DIAGNOSE: Schema<DiagnoseOptions> = {
  ...COUNTING,
  provider: PROVIDERS,
  limits: { maxTokens: limit, ...LIMITS },
  openEnd: flag,
};
