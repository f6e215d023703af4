/** Usage reports of Anthropic's Messages. */

import { has, mismatch, tokens, usageRecord } from "../usage.ts";
import type { UsageReader } from "../usage.ts";
import { isFields } from "../values.ts";

const INPUT = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"] as const;

export const usage: UsageReader = {
  // The Responses API reports a sum and details besides.
  isOwn: (raw) => has(raw, ...INPUT, "output_tokens"),
  read(raw) {
    const parts = INPUT.map((name) => raw[name]);
    if (parts.every((part) => tokens(part) === undefined) && tokens(raw["output_tokens"]) === undefined)
      return undefined;
    const total = parts.reduce<number>((sum, part) => sum + (tokens(part) ?? 0), 0);
    const reported = usageRecord({
      raw,
      total,
      cacheRead: parts[2],
      cacheWrite: parts[1],
      output: raw["output_tokens"],
      sum: undefined,
    });
    const { iterations } = raw;
    if (reported && Array.isArray(iterations)) {
      // A pass has no passes.
      const passes = (iterations as unknown[]).flatMap((pass) =>
        isFields(pass) ? (usage.read({ ...pass, iterations: undefined })?.usage ?? []) : [],
      );
      if (passes.length > 0) reported.passes = passes;
    }
    if (parts.some((part) => typeof part === "number" && part < 0))
      reported?.warnings.push(mismatch("the parts of the input are less than what was cached"));
    return reported;
  },
};
