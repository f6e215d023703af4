/**
 * Raw messages in the form of OpenAI's chat completions. Documents and cache breakpoints have none and are left out.
 */

import { OutputMode } from "../../prompt/output/output-mode.ts";
import * as Raw from "../raw/prompt.ts";
import { messagesAlone, textOf } from "../prompt.ts";
import type { PromptFormat } from "../prompt.ts";
import type * as OpenAI from "./prompt-types.ts";

/** One message; undefined for a role that OpenAI does not know. */
export function openAIMessage(message: Raw.ChatMessage): OpenAI.ChatMessage | undefined {
  const { content, name } = message;
  switch (message.role) {
    case Raw.ChatRole.System:
      return { role: "system", content: textOf(content), name: name! };
    case Raw.ChatRole.User:
      return { role: "user", content: parts(content), name: name! };
    case Raw.ChatRole.Assistant: {
      // Fields of a host's own (what a call is kept with) stay behind.
      const calls = message.toolCalls?.map(({ id, function: called }) => ({
        id,
        function: called,
        type: "function" as const,
      }));
      return { role: "assistant", content: textOf(content), name: name!, tool_calls: calls! };
    }
    case Raw.ChatRole.Tool:
      return { role: "tool", content: parts(content), tool_call_id: message.toolCallId };
    default:
      return undefined;
  }
}

function parts(content: readonly Raw.ChatCompletionContentPart[]): string | OpenAI.ChatCompletionContentPart[] {
  const list = content.flatMap((part): OpenAI.ChatCompletionContentPart[] => {
    switch (part.type) {
      case Raw.ChatCompletionContentPartKind.Text:
        return [{ type: "text", text: part.text }];
      case Raw.ChatCompletionContentPartKind.Image:
        return [{ type: "image_url", image_url: part.imageUrl }];
      case Raw.ChatCompletionContentPartKind.Opaque:
        return part.value && Raw.ChatCompletionContentPartOpaque.usableIn(part, OutputMode.OpenAI)
          ? [part.value as OpenAI.ChatCompletionContentPart]
          : [];
      default:
        return [];
    }
  });
  const texts = list.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === list.length ? texts.join("") : list;
}

/**
 * A message of a rendered prompt as OpenAI's SDK takes it. A tool's result may hold pictures, which its types do not
 * know and servers of the same interface take.
 */
export type OpenAIPromptMessage =
  | OpenAI.SystemChatMessage
  | OpenAI.UserChatMessage
  | OpenAI.AssistantChatMessage
  | { role: OpenAI.ChatRole.Tool; tool_call_id: string; content: string | any[] };

export const openAIPrompt: PromptFormat<{ messages: OpenAIPromptMessage[] }> = {
  mode: () => "openai",
  // No message of a prompt has the old role of functions, and every result has the id of its call.
  write: (messages) => ({
    system: [],
    messages: messages.flatMap((message) => openAIMessage(message) ?? []).map(withoutUndefined),
  }),
  request: messagesAlone,
};

/** Some servers refuse fields without a value. */
function withoutUndefined<T extends object>(message: T): T {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as T;
}
