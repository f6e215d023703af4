/** Usage reports of the AI SDK. */

import { first, has, usageRecord, within } from "../usage.ts";
import type { UsageReader } from "../usage.ts";

export const usage: UsageReader = {
  isOwn: (raw) => has(raw, "inputTokens", "promptTokens"),
  read(raw) {
    const [input, output] = [within(raw, "inputTokens"), within(raw, "outputTokens")];
    // Version 6 splits both numbers; older versions have plain ones.
    const split = "total" in input;
    return usageRecord({
      raw,
      total: split ? input["total"] : first(raw["inputTokens"], raw["promptTokens"]),
      cacheRead: split ? input["cacheRead"] : raw["cachedInputTokens"],
      cacheWrite: input["cacheWrite"],
      output: split ? output["total"] : first(raw["outputTokens"], raw["completionTokens"]),
      reasoning: split ? output["reasoning"] : raw["reasoningTokens"],
      sum: raw["totalTokens"],
    });
  },
};
