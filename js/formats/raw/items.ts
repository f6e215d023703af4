/** Raw messages as they are, and their parts as items of another format. */

import type { Part } from "../../types/messages.ts";
import { messagesAlone } from "../prompt.ts";
import type { PromptFormat } from "../prompt.ts";
import { ChatCompletionContentPartKind, ChatCompletionContentPartOpaque } from "./prompt.ts";
import type { ChatCompletionContentPart, ChatMessage, ChatMessageToolCall } from "./prompt.ts";
import { contentPart } from "./read.ts";

/**
 * Returns the items of a part: the value of an opaque part if it is meant for the format, else what `write` makes of
 * the neutral part.
 *
 * @param scope The bit of the format in the scope of an opaque part.
 */
export function itemsOf<Item>(
  part: ChatCompletionContentPart,
  scope: number,
  write: (part: Part) => readonly Item[],
): readonly Item[] {
  if (part.type !== ChatCompletionContentPartKind.Opaque) return write(contentPart(part, "content"));
  const { value } = part;
  return typeof value === "object" && value !== null && ChatCompletionContentPartOpaque.usableIn(part, scope)
    ? [value as Item]
    : [];
}

/** Returns a call as a neutral part. */
export function callPart({ id, function: called }: ChatMessageToolCall): Extract<Part, { type: "toolCall" }> {
  return { type: "toolCall", callId: id, name: called.name, arguments: called.arguments };
}

export const rawPrompt: PromptFormat<{ messages: ChatMessage[] }> = {
  mode: () => "raw",
  write: (messages) => ({ system: [], messages: [...messages] }),
  request: messagesAlone,
  mark(written, first) {
    const { CacheBreakpoint } = ChatCompletionContentPartKind;
    const { messages = [] } = written[first - 1] ?? {};
    const last = messages.at(-1) as ChatMessage | undefined;
    if (!last || last.content.some(({ type }) => type === CacheBreakpoint)) return;
    const content = [...last.content, { type: CacheBreakpoint, cacheType: "ephemeral" }];
    messages[messages.length - 1] = { ...last, content };
  },
};
