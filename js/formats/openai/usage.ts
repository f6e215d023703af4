/** Usage reports of chat completions and of the Responses API. */

import { first, has, usageRecord, within } from "../usage.ts";
import type { UsageReader } from "../usage.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

export const chatUsage: UsageReader = {
  // Ollama's own API reports `prompt_eval_count` and `eval_count`, beside the message of its answer.
  isOwn: (raw) => has(raw, "prompt_tokens", "prompt_eval_count"),
  read(raw) {
    const [details, said] = [within(raw, "prompt_tokens_details"), within(raw, "completion_tokens_details")];
    return usageRecord({
      raw,
      total: first(raw["prompt_tokens"], raw["prompt_eval_count"]),
      // DeepSeek, Kimi and LiteLLM report their caches beside the prompt.
      cacheRead: first(
        details["cached_tokens"],
        raw["prompt_cache_hit_tokens"],
        raw["cached_tokens"],
        raw["cache_read_input_tokens"],
      ),
      // OpenRouter and LiteLLM report the tokens that were written to one.
      cacheWrite: first(details["cache_write_tokens"], raw["cache_creation_input_tokens"]),
      output: first(raw["completion_tokens"], raw["eval_count"]),
      reasoning: said["reasoning_tokens"],
      sum: raw["total_tokens"],
    });
  },
};

/** Returns the report in an answer, or in an event of a stream: Kimi's is in the choice, Groq's in `x_groq`. */
export function chatReport(answer: Fields): Fields | undefined {
  const choice = Array.isArray(answer["choices"]) ? (answer["choices"][0] as unknown) : undefined;
  const holders = [answer, choice, answer["x_groq"]].filter(isFields);
  return holders.map((holder) => holder["usage"]).find(isFields);
}

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
