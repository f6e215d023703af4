/** Usage reports of the AI SDK. */

import { first, has, usageRecord, within } from "../usage.ts";
import type { UsageReader } from "../usage.ts";

export const usage: UsageReader = {
  isOwn: (raw) => has(raw, "inputTokens", "promptTokens"),
  read(raw) {
    const [input, output] = [within(raw, "inputTokens"), within(raw, "outputTokens")];
    // Version 6 splits both numbers; older versions have plain ones.
    const split = "total" in input;
    const plain = first(raw["inputTokens"], raw["promptTokens"]);
    const cached = raw["cachedInputTokens"];
    // The Anthropic provider for version 5 reports uncached tokens. More of them cached than there are shows that.
    const isUncached = typeof plain === "number" && typeof cached === "number" && cached > plain;
    return usageRecord({
      raw,
      total: split ? input["total"] : isUncached ? plain + cached : plain,
      cacheRead: split ? input["cacheRead"] : cached,
      cacheWrite: input["cacheWrite"],
      output: split ? output["total"] : first(raw["outputTokens"], raw["completionTokens"]),
      reasoning: split ? output["reasoning"] : raw["reasoningTokens"],
      sum: raw["totalTokens"],
    });
  },
};
