/** The options of public calls: sessions. The compiler holds each list equal to its type. */

import type { DiagnoseOptions } from "../../doctor/diagnose.ts";
import type { RequestLimits } from "../../doctor/limits.ts";
import type { ConvertOptions } from "../../formats/convert.ts";
import type { ReadSessionOptions } from "../../sessions/types.ts";
import type { Names } from "../known.ts";

export const READ_SESSION: Names<ReadSessionOptions> = {
  layout: 1,
  name: 1,
  sideChain: 1,
  conversation: 1,
  history: 1,
};

export const CONVERT: Names<ConvertOptions> = { from: 1, tools: 1 };

export const DIAGNOSE: Names<DiagnoseOptions> = {
  format: 1,
  encoding: 1,
  model: 1,
  costModel: 1,
  tools: 1,
  images: 1,
  imageSize: 1,
  tokenizer: 1,
  provider: 1,
  limits: 1,
};

export const REQUEST_LIMITS: Names<RequestLimits> = {
  maxTokens: 1,
  maxBytes: 1,
  maxImages: 1,
  maxImageBytes: 1,
  maxImageSide: 1,
  maxImageSideOfMany: 1,
};
