/** Neutral parts and turns as Anthropic's blocks and messages. */

import { bytesOf, mediaOf } from "../media.ts";
import { objectArguments } from "../parts.ts";
import { loseMedia, resultsOf } from "../turns.ts";
import type { IdRule, Turn, Writing } from "../turns.ts";
import type { Part } from "../../types/messages.ts";
import { isFields } from "../values.ts";

export type Block = Record<string, unknown>;

/** Ids that the provider takes for calls. */
export const ids: IdRule = { pattern: /^[A-Za-z0-9_-]{1,64}$/, prefix: "toolu_" };

/** Returns the blocks of a turn as one message. */
export function write(turn: Turn, { id, lost }: Writing): unknown[] {
  const { role, parts, isMarked } = turn;
  const content =
    role === "tool" ? resultsOf(turn).map((result) => resultBlock(result, id, blocks)) : parts.flatMap(said);
  const last = content.at(-1);
  if (!last) return [];
  if (isMarked) last["cache_control"] = { type: "ephemeral" };
  // A system message in the middle is the user's, as it is for every server that knows no other.
  return [{ role: role === "assistant" ? "assistant" : "user", content: shortest(content) }];

  function said(part: Part): Block[] {
    if (role !== "assistant" || part.type === "text" || part.type === "toolCall") return blocks(part);
    loseMedia([part], turn, lost);
    return [];
  }

  function blocks(part: Part): Block[] {
    const made = block(part, id);
    if (made.length === 0 && (part.type !== "text" || part.text !== ""))
      lost(part, turn.id, `Anthropic takes no ${part.type === "text" ? "blank text" : "recordings"}`);
    return made;
  }
}

function resultBlock(
  { callId, content, isError }: Extract<Part, { type: "toolResult" }>,
  id: Writing["id"],
  made: (part: Part) => Block[],
): Block {
  const blocks = content.flatMap(made);
  return {
    type: "tool_result",
    tool_use_id: id(callId),
    content: blocks.length === 0 ? "" : shortest(blocks),
    ...(isError && { is_error: true }),
  };
}

/** Returns the text of a lone block that has nothing else, or the blocks. */
export function shortest(blocks: readonly Block[]): unknown {
  const [only, ...more] = blocks;
  return more.length === 0 && only?.["type"] === "text" && !("cache_control" in only) ? only["text"] : blocks;
}

/** Returns a text, picture, document or call as a block. Blank texts are refused, so they have none. */
export function block(part: Part, id: Writing["id"] = (callId) => callId): Block[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type === "toolCall")
    return [{ type: "tool_use", id: id(part.callId), name: part.name, input: objectArguments(part.arguments) }];
  const media = mediaOf(part);
  // Documents are PDF and text: no server reads a recording as one.
  if (!media || /^(audio|video)\b/i.test(media.mediaType)) return [];
  return [{ type: part.type, source: sourceOf(media) }];
}

function sourceOf({ mediaType, base64, url }: NonNullable<ReturnType<typeof mediaOf>>): Block {
  if (url !== undefined) return { type: "url", url };
  // Documents in base64 are PDF; others are sent as their text.
  const bytes = mediaType.startsWith("text/") ? bytesOf(base64!) : undefined;
  return bytes
    ? { type: "text", media_type: "text/plain", data: new TextDecoder().decode(bytes) }
    : { type: "base64", media_type: mediaType, data: base64 };
}

/** True for the result of a tool. */
export function isResult(block: unknown): boolean {
  return isFields(block) && block["type"] === "tool_result";
}
