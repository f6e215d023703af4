/** Usage reports of chat completions and of the Responses API. */

import { first, has, usageRecord, within } from "../usage.ts";
import type { UsageReader } from "../usage.ts";

export const chatUsage: UsageReader = {
  // Ollama's own API reports `prompt_eval_count` and `eval_count`, beside the message of its answer.
  isOwn: (raw) => has(raw, "prompt_tokens", "prompt_eval_count"),
  read(raw) {
    const [details, said] = [within(raw, "prompt_tokens_details"), within(raw, "completion_tokens_details")];
    // DeepSeek reports its cache beside the prompt, and OpenRouter the tokens written to one.
    const cacheRead = first(details["cached_tokens"], raw["prompt_cache_hit_tokens"]);
    return usageRecord({
      raw,
      total: first(raw["prompt_tokens"], raw["prompt_eval_count"]),
      cacheRead,
      cacheWrite: details["cache_write_tokens"],
      output: first(raw["completion_tokens"], raw["eval_count"]),
      reasoning: said["reasoning_tokens"],
      sum: raw["total_tokens"],
    });
  },
};

export const responsesUsage: UsageReader = {
  isOwn: (raw) => has(raw, "input_tokens_details", "total_tokens"),
  read(raw) {
    const [details, said] = [within(raw, "input_tokens_details"), within(raw, "output_tokens_details")];
    return usageRecord({
      raw,
      total: raw["input_tokens"],
      cacheRead: details["cached_tokens"],
      output: raw["output_tokens"],
      reasoning: said["reasoning_tokens"],
      sum: raw["total_tokens"],
    });
  },
};
