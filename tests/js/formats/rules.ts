/**
 * Provider errors from `validate`, for histories: they may end with the assistant, since the next request is still to
 * come.
 */

import type { Format } from "../../../js/types/messages.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";

type Fields = Record<string, unknown>;

/** Returns the first reason why a provider would refuse these messages, or nothing. */
export function refusal(format: Format, messages: readonly unknown[]): string | undefined {
  // The AI SDK converts its messages for any provider, so the strictest rules apply.
  const provider: ProviderName =
    format === "ai-sdk" || format === "espalier" || format === "raw" ? "openai-chat" : format;
  const [first] = espalier.validate(messages, provider, { format }).filter(({ rule }) => rule !== "last-role");
  if (first) return `${first.path}: ${first.message} (${first.rule})`;
  return format === "openai-responses" ? strayThought(messages as readonly Fields[]) : undefined;
}

/** A thought belongs to the item that it led to; the tests name that item with `of`. */
function strayThought(messages: readonly Fields[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    if (message["type"] !== "reasoning") continue;
    const next = messages.slice(at + 1).find((item) => item["type"] !== "reasoning");
    if (next?.["of"] !== message["of"]) return `message ${at}: a thought without what came of it`;
  }
  return undefined;
}
