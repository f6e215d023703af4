/**
 * Raw messages as the AI SDK's `ModelMessage`s. Cache breakpoints are left out: the SDK passes each provider's own
 * options.
 */

import { objectArguments } from "../parts.ts";
import { sourceOf } from "../blocks.ts";
import { ChatCompletionContentPartKind, ChatRole } from "../raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../raw/prompt.ts";
import { textOf } from "../../prompt/output/text.ts";

export function toAiSdk(messages: readonly ChatMessage[]): any[] {
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
              output: { type: "text", value: textOf(content) },
            },
          ],
        },
      ];
    }
    const parts = content.flatMap(partOf);
    if (message.role !== ChatRole.Assistant) return [{ role: "user", content: parts }];
    for (const { id, function: called } of message.toolCalls ?? []) {
      names.set(id, called.name);
      parts.push({
        type: "tool-call",
        toolCallId: id,
        toolName: called.name,
        input: objectArguments(called.arguments),
      });
    }
    return [{ role: "assistant", content: parts }];
  });
}

function partOf(part: ChatCompletionContentPart): object[] {
  switch (part.type) {
    case ChatCompletionContentPartKind.Text:
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case ChatCompletionContentPartKind.Image: {
      const source = sourceOf(part.imageUrl.url, part.imageUrl.mediaType);
      return [
        {
          type: "image",
          ...("url" in source ? { image: source.url } : { image: source.data, mediaType: source.mediaType }),
        },
      ];
    }
    case ChatCompletionContentPartKind.Document:
      return [{ type: "file", data: part.documentData.data, mediaType: part.documentData.mediaType }];
    case ChatCompletionContentPartKind.Opaque:
      return typeof part.value === "object" && part.value !== null && part.scope === undefined
        ? [part.value as object]
        : [];
    default:
      return [];
  }
}
