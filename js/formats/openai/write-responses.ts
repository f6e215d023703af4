/** Neutral parts and turns as items of OpenAI's Responses. */

import { NOTHING } from "../audience.ts";
import { PIXEL, platformResult, typesOfCalls } from "../items.ts";
import { mediaOf, urlOf } from "../media.ts";
import { argumentsText, words } from "../parts.ts";
import { loseMedia, resultsOf } from "../turns.ts";
import type { IdRule, Turn, Writing } from "../turns.ts";
import type { Part } from "../../types/messages.ts";

/** Ids that the provider takes for calls. */
export const ids: IdRule = { pattern: /^.{1,64}$/s, prefix: "call_" };

/** Returns the items of a turn: its message, its calls, or its results. */
export function write(turn: Turn, { id, lost, list }: Writing): unknown[] {
  const { role, parts } = turn;
  if (role === "tool")
    return resultsOf(turn).map(({ callId, content }) =>
      outputFor(
        typesOfCalls(list, "call_id").get(callId),
        id(callId),
        content.length === 0 ? NOTHING : contentOf(content),
      ),
    );
  const calls = parts.flatMap((part) => (part.type === "toolCall" ? [part] : []));
  if (role === "assistant") loseMedia(parts, turn, lost);
  const said = parts.filter(({ type }) => type === "text" || (role !== "assistant" && type !== "toolCall"));
  return [
    ...(said.length > 0 ? [{ type: "message", role, content: contentOf(said) }] : []),
    ...calls.map(({ callId, name, arguments: args }) => ({
      type: "function_call",
      call_id: id(callId),
      name,
      arguments: argumentsText(args),
    })),
  ];
}

/**
 * Returns the result of a call in the type that belongs to it: "No tool output found for custom tool call", says the
 * server where it has another. A local shell takes that of a function (`normalize.rs` of Codex, 2026).
 */
function outputFor(type: unknown, call_id: string, output: unknown): unknown {
  if (type === "custom_tool_call") return { type: "custom_tool_call_output", call_id, output };
  if (type === "computer_call")
    return { type: "computer_call_output", call_id, output: { type: "computer_screenshot", image_url: PIXEL } };
  const result = platformResult(type, typeof output === "string" ? output : "");
  return result ? { ...result, call_id } : { type: "function_call_output", call_id, output };
}

/** Texts alone are one text. */
function contentOf(parts: readonly Part[]): unknown {
  return parts.every(({ type }) => type === "text") ? words(parts) : parts.map(contentPart);
}

function contentPart(part: Part): unknown {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const media = mediaOf(part)!;
  if (part.type === "image") return { type: "input_image", image_url: urlOf(media), detail: media.detail ?? "auto" };
  if (media.url !== undefined) return { type: "input_file", file_url: media.url };
  const [, kind = "bin"] = media.mediaType.split(/[/+]/);
  return { type: "input_file", filename: `document.${kind}`, file_data: urlOf(media) };
}
