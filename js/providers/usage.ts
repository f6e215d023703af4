/** Converts the usage reports of providers to one record. */

import { badOption } from "../errors/errors.ts";
import type { Usage, Warning } from "./types.ts";

/** The provider that reports. Models of VS Code that report usage do so as OpenAI does. */
export type UsageFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk";

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A record, and its anomalies. */
export interface Reported {
  usage: Usage;
  /** The usage of each pass, if the provider reports several. */
  passes?: Usage[];
  warnings: Warning[];
}

/**
 * Returns the record of a provider's report, or undefined if it reported nothing.
 *
 * | provider | the whole input is | its cached part is |
 * |---|---|---|
 * | OpenAI chat | `prompt_tokens` | `prompt_tokens_details.cached_tokens` |
 * | OpenAI Responses | `input_tokens` | `input_tokens_details.cached_tokens` |
 * | Anthropic | `input_tokens` + both cache fields | `cache_read_input_tokens` |
 * | Gemini | `promptTokenCount` + `toolUsePromptTokenCount` | `cachedContentTokenCount` |
 * | AI SDK | `inputTokens` | `cachedInputTokens` |
 *
 * If the provider reports its own total, the sum is compared with it; a difference is a warning `usage_mismatch`. So is
 * a cached part larger than the whole, which is then limited to the whole.
 *
 * @throws EspalierError `bad_option` if there is no such format
 */
export function usageFrom(format: UsageFormat, raw: unknown): Reported | undefined {
  if (typeof format !== "string" || !Object.hasOwn(MAPPINGS, format))
    throw badOption("", `one of ${Object.keys(MAPPINGS).join(", ")}`, format, "format");
  if (typeof raw !== "object" || raw === null) return undefined;
  return MAPPINGS[format](raw as Fields);
}

/** Returns the record of any usage object of a host: a provider's, recognised by its fields, or our own. */
export function usageOf(raw: unknown): Usage | undefined {
  if (!isFields(raw)) return undefined;
  const has = (...names: string[]) => names.some((name) => raw[name] !== undefined);
  // Our own record, as `addUsage` and answers return it.
  if (has("promptTotal"))
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
  const format: UsageFormat = has("prompt_tokens")
    ? "openai-chat"
    : has("promptTokenCount")
      ? "gemini"
      : has("inputTokens", "promptTokens")
        ? "ai-sdk"
        : // Anthropic reports neither a sum nor details.
          has("input_tokens_details", "total_tokens")
          ? "openai-responses"
          : "anthropic";
  return usageFrom(format, raw)?.usage;
}

const MAPPINGS: Record<UsageFormat, (raw: Fields) => Reported | undefined> = {
  "openai-chat": (raw) => {
    const [details, said] = [within(raw, "prompt_tokens_details"), within(raw, "completion_tokens_details")];
    // DeepSeek reports its cache beside the prompt, and OpenRouter the tokens written to one.
    const cacheRead = first(details["cached_tokens"], raw["prompt_cache_hit_tokens"]);
    return whole({
      raw,
      total: raw["prompt_tokens"],
      cacheRead,
      cacheWrite: details["cache_write_tokens"],
      output: raw["completion_tokens"],
      reasoning: said["reasoning_tokens"],
      sum: raw["total_tokens"],
    });
  },

  "openai-responses": (raw) => {
    const [details, said] = [within(raw, "input_tokens_details"), within(raw, "output_tokens_details")];
    return whole({
      raw,
      total: raw["input_tokens"],
      cacheRead: details["cached_tokens"],
      output: raw["output_tokens"],
      reasoning: said["reasoning_tokens"],
      sum: raw["total_tokens"],
    });
  },

  anthropic: (raw) => {
    const parts = [raw["input_tokens"], raw["cache_creation_input_tokens"], raw["cache_read_input_tokens"]];
    if (parts.every((part) => tokens(part) === undefined) && tokens(raw["output_tokens"]) === undefined)
      return undefined;
    const total = parts.reduce<number>((sum, part) => sum + (tokens(part) ?? 0), 0);
    const reported = whole({
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
        isFields(pass) ? (MAPPINGS.anthropic({ ...pass, iterations: undefined })?.usage ?? []) : [],
      );
      if (passes.length > 0) reported.passes = passes;
    }
    if (parts.some((part) => typeof part === "number" && part < 0))
      reported?.warnings.push(mismatch("the parts of the input are less than what was cached"));
    return reported;
  },

  gemini: (raw) => {
    const total = sum(raw["promptTokenCount"], raw["toolUsePromptTokenCount"]);
    const output = sum(raw["candidatesTokenCount"], raw["thoughtsTokenCount"]);
    return whole({
      raw,
      total,
      cacheRead: raw["cachedContentTokenCount"],
      output,
      reasoning: raw["thoughtsTokenCount"],
      sum: raw["totalTokenCount"],
    });
  },

  "ai-sdk": (raw) => {
    const [input, output] = [within(raw, "inputTokens"), within(raw, "outputTokens")];
    // Version 6 splits both numbers; older versions have plain ones.
    const split = "total" in input;
    return whole({
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

/** Makes the record from a whole input and its cached parts. */
function whole(from: {
  raw: Fields;
  total: unknown;
  cacheRead?: unknown;
  cacheWrite?: unknown;
  output: unknown;
  reasoning?: unknown;
  sum: unknown;
}): Reported | undefined {
  if (tokens(from.total) === undefined && tokens(from.output) === undefined) return undefined;
  const warnings: Warning[] = [];
  const promptTotal = tokens(from.total) ?? 0;
  const output = tokens(from.output) ?? 0;
  const said = { read: tokens(from.cacheRead) ?? 0, write: tokens(from.cacheWrite) ?? 0 };
  const cacheRead = Math.min(said.read, promptTotal);
  const cacheWrite = Math.min(said.write, promptTotal - cacheRead);
  if (cacheRead + cacheWrite < said.read + said.write) {
    warnings.push(
      mismatch(`the provider reports ${said.read + said.write} cached tokens of an input of ${promptTotal}`),
    );
  }
  const reasoning = tokens(from.reasoning) ?? 0;
  if (reasoning > output)
    warnings.push(mismatch(`the provider reports ${reasoning} tokens of thoughts in an answer of ${output}`));
  const total = tokens(from.sum);
  if (total !== undefined && total !== promptTotal + output) {
    warnings.push(mismatch(`the provider reports ${total} tokens in all, and ${promptTotal} + ${output} in parts`));
  }
  const usage = {
    input: promptTotal - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(reasoning, output),
    promptTotal,
    raw: from.raw,
  };
  return { usage, warnings };
}

function mismatch(message: string): Warning {
  return { code: "usage_mismatch", message };
}

/** Returns a number of tokens, or undefined for any other value. `+ 0` turns -0 into 0. */
function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) + 0 : undefined;
}

function first(...values: unknown[]): unknown {
  return values.find((value) => tokens(value) !== undefined);
}

function sum(...values: unknown[]): number | undefined {
  const known = values.flatMap((value) => tokens(value) ?? []);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}

function within(raw: Fields, name: string): Fields {
  const value = raw[name];
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
