/**
 * Provider errors from `validate`, for histories: they may end with the assistant, since the next request is still to
 * come.
 */

import type { Format } from "../../../js/types/messages.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";

type Fields = Record<string, unknown>;

/** Returns whose rules messages keep: those that SDKs convert for any provider keep the strictest ones. */
export function receiverOf(format: Format): ProviderName {
  const isConverted = format === "ai-sdk" || format === "espalier" || format === "raw" || format === "langchain";
  if (format === "openai-agents") return "openai-responses";
  return isConverted ? "openai-chat" : format;
}

/** Returns the first reason why a provider would refuse these messages, or nothing. */
export function refusal(format: Format, messages: readonly unknown[]): string | undefined {
  const [first] = espalier
    .validate(messages, receiverOf(format), { format })
    .filter(({ rule }) => rule !== "last-role");
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
