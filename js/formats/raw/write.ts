/** Neutral turns as the renderer's own messages. */

import type { Part } from "../../types/messages.ts";
import { mediaOf, urlOf } from "../media.ts";
import { words } from "../parts.ts";
import { resultsOf } from "../turns.ts";
import type { Turn, Writing } from "../turns.ts";
import { ChatCompletionContentPartKind as Kind, ChatRole } from "./prompt.ts";
import type { ChatCompletionContentPart } from "./prompt.ts";

const ROLES = { system: ChatRole.System, user: ChatRole.User, assistant: ChatRole.Assistant };

/** Returns the message of a turn, or one message for each result. */
export function write(turn: Turn, { id }: Writing): unknown[] {
  const { role, name, parts } = turn;
  if (role === "tool")
    return resultsOf(turn).map(({ callId, content }) => ({
      role: ChatRole.Tool,
      toolCallId: id(callId),
      content: content.length === 0 ? [{ type: Kind.Text, text: "" }] : contentOf(content),
    }));
  const toolCalls = parts.flatMap((part) =>
    part.type === "toolCall"
      ? [{ id: id(part.callId), type: "function", function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  return [
    {
      role: ROLES[role],
      ...(name !== undefined && { name }),
      content: contentOf(parts.filter(({ type }) => type !== "toolCall")),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
  ];
}

/** Texts alone are one text. */
function contentOf(parts: readonly Part[]): ChatCompletionContentPart[] {
  if (parts.some(({ type }) => type !== "text")) return parts.map(contentPart);
  return parts.length === 0 ? [] : [{ type: Kind.Text, text: words(parts) }];
}

function contentPart(part: Part): ChatCompletionContentPart {
  if (part.type === "text") return { type: Kind.Text, text: part.text };
  const media = mediaOf(part)!;
  const { mediaType } = media;
  if (part.type === "image")
    return {
      type: Kind.Image,
      imageUrl: { url: urlOf(media), mediaType, ...(media.detail && { detail: media.detail as "low" }) },
    };
  return { type: Kind.Document, documentData: { data: media.base64 ?? media.url!, mediaType } };
}
