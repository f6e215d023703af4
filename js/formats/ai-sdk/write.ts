/** Neutral turns as the AI SDK's messages: UI messages in a conversation of these, else model messages. */

import type { Part } from "../../types/messages.ts";
import { mediaOf } from "../media.ts";
import { parsedArguments, words } from "../parts.ts";
import { resultsOf } from "../turns.ts";
import type { Turn, Writing } from "../turns.ts";
import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

type ResultPart = Extract<Part, { type: "toolResult" }>;

export function write(turn: Turn, how: Writing): unknown[] {
  return how.list.some((item) => isFields(item) && Array.isArray(item["parts"]))
    ? uiMessage(turn, how)
    : modelMessage(turn, how);
}

function uiMessage(turn: Turn, { id }: Writing): unknown[] {
  const { role } = turn;
  const parts = turn.parts.map((part): Fields => {
    if (part.type === "toolCall") {
      const input = parsedArguments(part.arguments);
      return {
        type: "dynamic-tool",
        toolName: part.name,
        toolCallId: id(part.callId),
        input,
        state: "input-available",
      };
    }
    // It answers a call of the message before, which `join` finds.
    if (part.type === "toolResult")
      return {
        type: "dynamic-tool",
        toolName: part.name ?? "unknown",
        toolCallId: id(part.callId),
        input: {},
        ...outcome(part),
      };
    return part.type === "text" ? { type: "text", text: part.text } : uiFile(part);
  });
  return [{ id: turn.id, role: role === "user" || role === "system" ? role : "assistant", parts }];
}

function outcome(result: ResultPart): Fields {
  const said = words(result.content);
  return result.isError ? { state: "output-error", errorText: said } : { state: "output-available", output: said };
}

function uiFile(part: Part): Fields {
  const { mediaType, base64, url } = mediaOf(part)!;
  return { type: "file", mediaType, url: url ?? `data:${mediaType};base64,${base64}` };
}

function modelMessage(turn: Turn, { id }: Writing): unknown[] {
  const { role, parts } = turn;
  if (role === "tool") {
    const content = resultsOf(turn).map((result) => ({
      type: "tool-result",
      toolCallId: id(result.callId),
      toolName: result.name ?? "unknown",
      output: output(result),
    }));
    return [{ role: "tool", content }];
  }
  if (role === "system" || parts.every(({ type }) => type === "text")) return [{ role, content: words(parts) }];
  const content = parts.flatMap((part) => (part.type === "toolCall" ? [toolCall(part, id)] : partsOf(part)));
  return [{ role, content }];
}

/** Returns a call as a part of a model message. */
export function toolCall(
  { callId, name, arguments: args }: Extract<Part, { type: "toolCall" }>,
  id: Writing["id"] = (same) => same,
): Fields {
  return { type: "tool-call", toolCallId: id(callId), toolName: name, input: parsedArguments(args) };
}

/** Returns a text, picture or document as a part of a model message. */
export function partsOf(part: Part): Fields[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  const media = mediaOf(part);
  if (!media) return [];
  const { detail, mediaType } = media;
  const options = detail !== undefined && { providerOptions: { openai: { imageDetail: detail } } };
  return [{ type: "file", data: media.url ?? media.base64, mediaType, ...options }];
}

function output({ content, isError }: ResultPart): Fields {
  if (isError) return { type: "error-text", value: words(content) };
  if (content.every(({ type }) => type === "text")) return { type: "text", value: words(content) };
  return { type: "content", value: content.flatMap(heldParts) };
}

/** Returns a text, picture or document as a part of a tool's result, where pictures and files have other names. */
export function heldParts(part: Part): Fields[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  const media = mediaOf(part);
  if (!media) return [];
  const { mediaType, base64, url } = media;
  const kind = part.type === "image" ? "image" : "file";
  return [url === undefined ? { type: `${kind}-data`, data: base64, mediaType } : { type: `${kind}-url`, url }];
}
