/** Converts the usage reports of providers to one record. */

import { badOption } from "../errors/errors.ts";
import { RULES } from "../formats/table.ts";
import { has, tokens } from "../formats/usage.ts";
import type { Reported, UsageReader } from "../formats/usage.ts";
import { isFields } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import type { Usage } from "./types.ts";

export type { Reported } from "../formats/usage.ts";

/** The provider that reports. Models of VS Code that report usage do so as OpenAI does. */
export type UsageFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk";

const READERS: ReadonlyMap<string, UsageReader> = new Map(
  Object.values(RULES).flatMap(({ format, usage }) => (usage ? [[format, usage] as const] : [])),
);

/**
 * Returns the record of a provider's report, or undefined if it reported nothing.
 *
 * | provider | the whole input is | its cached part is |
 * |---|---|---|
 * | OpenAI chat | `prompt_tokens`, of Ollama `prompt_eval_count` | `prompt_tokens_details.cached_tokens` |
 * | OpenAI Responses | `input_tokens` | `input_tokens_details.cached_tokens` |
 * | Anthropic | `input_tokens` + both cache fields | `cache_read_input_tokens` |
 * | Gemini | `promptTokenCount` + `toolUsePromptTokenCount` | `cachedContentTokenCount` |
 * | AI SDK | `inputTokens` | `cachedInputTokens` |
 *
 * Servers with OpenAI's chat interface may report the cached part beside the input: DeepSeek in
 * `prompt_cache_hit_tokens`, Kimi in `cached_tokens`, LiteLLM in `cache_read_input_tokens`. If the provider's total
 * shows that its thoughts are no part of the output (xAI), they are added to it.
 *
 * If the provider reports its own total, the sum is compared with it; a difference is a warning `usage_mismatch`. So is
 * a cached part larger than the whole, which is then limited to the whole.
 *
 * @throws EspalierError `bad_option` if there is no such format
 */
export function usageFrom(format: UsageFormat, raw: unknown): Reported | undefined {
  const reader = READERS.get(format);
  if (!reader) throw badOption("", `one of ${[...READERS.keys()].join(", ")}`, format, "format");
  if (typeof raw !== "object" || raw === null) return undefined;
  return reader.read(raw as Fields);
}

/** Returns the record of any usage object of a host: a provider's, recognised by its fields, or our own. */
export function usageOf(raw: unknown): Usage | undefined {
  if (!isFields(raw)) return undefined;
  // Our own record, as `addUsage` and answers return it.
  if (has(raw, "promptTotal"))
    return tokens(raw["promptTotal"]) === undefined
      ? undefined
      : {
          input: 0,
          cacheRead: 0,
          cacheWrite: 0,
          output: 0,
          reasoning: 0,
          ...(raw as Partial<Usage>),
          promptTotal: tokens(raw["promptTotal"])!,
        };
  // The Responses API before Anthropic, which reports neither a sum nor details.
  return readerOf(raw)?.read(raw)?.usage;
}

/** True for a report with a field that is known, whatever its value. */
export function isUsage(raw: Fields): boolean {
  return has(raw, "promptTotal") || readerOf(raw) !== undefined;
}

const readerOf = (raw: Fields) => [...READERS.values()].find((reader) => reader.isOwn(raw));
