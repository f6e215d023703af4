/**
 * What providers refuse, as `validate` has it, for histories: they may end with the assistant, since the next request
 * is yet to come.
 */

import type { Format } from "../../../js/types/messages.ts";
import type { ProviderName } from "../../../js/types/validity.ts";
import { espalier } from "../built.ts";

type Fields = Record<string, unknown>;

/** The first reason why a provider would refuse these messages, or nothing. */
export function refusal(format: Format, messages: readonly unknown[]): string | undefined {
  // What the AI SDK makes of its messages is what the strictest takes.
  const provider: ProviderName =
    format === "ai-sdk" || format === "espalier" || format === "raw" ? "openai-chat" : format;
  const [first] = espalier.validate(messages, provider, { format }).filter(({ rule }) => rule !== "last-role");
  if (first) return `${first.path}: ${first.message} (${first.rule})`;
  return format === "openai-responses" ? strayThought(messages as readonly Fields[]) : undefined;
}

/** A thought belongs to the very item that came of it; the tests say with `of` which one that is. */
function strayThought(messages: readonly Fields[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    if (message["type"] !== "reasoning") continue;
    const next = messages.slice(at + 1).find((item) => item["type"] !== "reasoning");
    if (next?.["of"] !== message["of"]) return `message ${at}: a thought without what came of it`;
  }
  return undefined;
}
