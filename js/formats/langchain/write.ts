/** Neutral turns as LangChain's messages, in the form of those that the host passed. */

import { NOTHING } from "../audience.ts";
import { mediaOf, urlOf } from "../media.ts";
import { objectArguments, words } from "../parts.ts";
import { loseMedia, resultsOf } from "../turns.ts";
import type { Turn, Writing } from "../turns.ts";
import type { Part } from "../../types/messages.ts";
import { newMessage } from "./form.ts";

/** Returns the messages of a turn. */
export function write(turn: Turn, { list, id, lost }: Writing): unknown[] {
  const { role, parts, name } = turn;
  if (role === "tool")
    return resultsOf(turn).map(({ callId, name: tool, content, isError }) =>
      newMessage(
        "tool",
        {
          content: content.length === 0 ? NOTHING : contentOf(content),
          tool_call_id: id(callId),
          ...(tool !== undefined && { name: tool }),
          ...(isError && { status: "error" }),
        },
        list,
      ),
    );
  const named = name === undefined ? {} : { name };
  if (role !== "assistant") {
    if (role === "system") loseMedia(parts, turn, lost);
    const content = role === "system" ? words(parts) : contentOf(parts);
    return [newMessage(role === "user" ? "human" : "system", { content, ...named }, list)];
  }
  loseMedia(parts, turn, lost);
  const calls = parts.flatMap((part) =>
    part.type === "toolCall"
      ? [{ type: "tool_call", id: id(part.callId), name: part.name, args: objectArguments(part.arguments) }]
      : [],
  );
  const content = words(parts);
  return [newMessage("ai", { content, ...named, ...(calls.length > 0 && { tool_calls: calls }) }, list)];
}

/** Texts alone are one text. */
function contentOf(parts: readonly Part[]): unknown {
  return parts.every(({ type }) => type === "text") ? words(parts) : parts.map(block);
}

function block(part: Part): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  const media = mediaOf(part)!;
  if (part.type !== "image") {
    const from = media.url === undefined ? { data: media.base64 } : { url: media.url };
    return { type: "file", ...from, mimeType: media.mediaType };
  }
  const detail = media.detail === undefined ? {} : { detail: media.detail };
  return { type: "image_url", image_url: { url: urlOf(media), ...detail } };
}
