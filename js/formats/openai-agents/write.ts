/** Neutral turns as items of the OpenAI Agents SDK. */

import { NOTHING } from "../audience.ts";
import { PIXEL, platformResult, typesOfCalls } from "../items.ts";
import { audioFormat, mediaOf, urlOf } from "../media.ts";
import { argumentsText, words } from "../parts.ts";
import { loseMedia, resultsOf } from "../turns.ts";
import type { Turn, Writing } from "../turns.ts";
import type { Part } from "../../types/messages.ts";

/** Returns the items of a turn: its message, its calls, or its results. */
export function write(turn: Turn, { id, lost, list }: Writing): unknown[] {
  const { role, parts } = turn;
  const status = "completed";
  if (role === "tool")
    return resultsOf(turn).map(
      ({ callId, name = "", content }) =>
        toolOutput(typesOfCalls(list, "callId").get(callId), id(callId), words(content)) ?? {
          type: "function_call_result",
          callId: id(callId),
          name,
          status,
          output: content.length === 0 ? { type: "text", text: NOTHING } : outputOf(content),
        },
    );
  if (role === "system") return [{ type: "message", role, content: words(parts) }];
  const calls = parts.flatMap((part) => (part.type === "toolCall" ? [part] : []));
  const isText = parts.every(({ type }) => type === "text");
  if (role === "user") return [{ type: "message", role, content: isText ? words(parts) : parts.map(contentPart) }];
  loseMedia(parts, turn, lost);
  const said = parts.flatMap((part) => (part.type === "text" ? [{ type: "output_text", text: part.text }] : []));
  return [
    ...(said.length > 0 ? [{ type: "message", role, status, content: said }] : []),
    ...calls.map(({ callId, name, arguments: args }) => ({
      type: "function_call",
      callId: id(callId),
      name,
      status,
      arguments: argumentsText(args),
    })),
  ];
}

/** Returns the result of a call of the platform's tools in the type that belongs to it; nothing for a function's. */
function toolOutput(type: unknown, callId: string, said: string): unknown {
  if (type === "computer_call")
    return { type: "computer_call_result", callId, output: { type: "computer_screenshot", data: PIXEL } };
  const result = platformResult(type, said);
  return result && { ...result, callId };
}

/** Texts alone are one text. */
function outputOf(parts: readonly Part[]): unknown {
  return parts.every(({ type }) => type === "text") ? { type: "text", text: words(parts) } : parts.map(contentPart);
}

function contentPart(part: Part): unknown {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const media = mediaOf(part)!;
  if (part.type === "image")
    return { type: "input_image", image: urlOf(media), ...(media.detail !== undefined && { detail: media.detail }) };
  const format = audioFormat(media.mediaType);
  if (format && media.base64 !== undefined) return { type: "audio", audio: media.base64, format };
  return { type: "input_file", file: media.url === undefined ? urlOf(media) : { url: media.url } };
}
