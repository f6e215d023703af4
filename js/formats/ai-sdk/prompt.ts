/**
 * Raw messages as the AI SDK's `ModelMessage`s. Cache breakpoints are left out: the SDK passes each provider's own
 * options.
 */

import { messagesAlone, textOf } from "../prompt.ts";
import type { PromptFormat } from "../prompt.ts";
import { callPart, itemsOf } from "../raw/items.ts";
import { ChatRole } from "../raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../raw/prompt.ts";
import { heldParts, partsOf, toolCall } from "./write.ts";

/** No bit of an opaque part's scope names this format. */
const NO_SCOPE = 0;

function toAiSdk(messages: readonly ChatMessage[]): any[] {
  // A result names its tool; a raw one only knows its call.
  const names = new Map<string, string>();
  return messages.flatMap((message): any[] => {
    const { content } = message;
    if (message.role === ChatRole.System) return [{ role: "system", content: textOf(content) }];
    if (message.role === ChatRole.Tool) {
      const { toolCallId } = message;
      return [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId,
              toolName: names.get(toolCallId) ?? "unknown",
              output: output(content),
            },
          ],
        },
      ];
    }
    const parts = content.flatMap((part) => itemsOf(part, NO_SCOPE, partsOf));
    if (message.role !== ChatRole.Assistant) return [{ role: "user", content: parts }];
    for (const call of message.toolCalls ?? []) names.set(call.id, call.function.name);
    return [
      { role: "assistant", content: [...parts, ...(message.toolCalls ?? []).map((call) => toolCall(callPart(call)))] },
    ];
  });
}

/** Returns the content of a result: its text, or a list if there is more. */
function output(content: readonly ChatCompletionContentPart[]): Record<string, unknown> {
  const items = content.flatMap((part) => itemsOf(part, NO_SCOPE, heldParts));
  return items.every(({ type }) => type === "text")
    ? { type: "text", value: textOf(content) }
    : { type: "content", value: items };
}

export const aiSdkPrompt: PromptFormat<{ messages: any[] }> = {
  mode: () => "aiSdk",
  write: (messages) => ({ system: [], messages: toAiSdk(messages) }),
  request: messagesAlone,
};
