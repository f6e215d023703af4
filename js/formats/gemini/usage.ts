/** Usage reports of Gemini. */

import { has, sum, usageRecord } from "../usage.ts";
import type { UsageReader } from "../usage.ts";

export const usage: UsageReader = {
  isOwn: (raw) => has(raw, "promptTokenCount"),
  read(raw) {
    const total = sum(raw["promptTokenCount"], raw["toolUsePromptTokenCount"]);
    const output = sum(raw["candidatesTokenCount"], raw["thoughtsTokenCount"]);
    return usageRecord({
      raw,
      total,
      cacheRead: raw["cachedContentTokenCount"],
      output,
      reasoning: raw["thoughtsTokenCount"],
      sum: raw["totalTokenCount"],
    });
  },
};
