/** Neutral parts and turns as OpenAI's chat messages. */

import { NOTHING } from "../audience.ts";
import { audioFormat, mediaOf, urlOf } from "../media.ts";
import { argumentsText, words } from "../parts.ts";
import { loseMedia, resultsOf } from "../turns.ts";
import type { IdRule, Turn, Writing } from "../turns.ts";
import type { Part } from "../../types/messages.ts";
import type { Fields } from "../values.ts";
import { isMadeUp, OLD } from "./ids.ts";

/** Ids that the provider takes for calls. */
export const ids: IdRule = { pattern: /^.{1,40}$/s, prefix: "call_" };

/** Returns the message of a turn, or one message for each result. */
export function write(turn: Turn, { id, lost }: Writing): unknown[] {
  const { role, name, parts } = turn;
  if (role === "tool") return results(turn, id);
  const calls = parts.flatMap((part) => (part.type === "toolCall" ? [call(part, id)] : []));
  if (role === "assistant") loseMedia(parts, turn, lost);
  const said = parts.filter(({ type }) => type === "text" || (role !== "assistant" && type !== "toolCall"));
  const content = said.length === 0 ? null : contentOf(said);
  if (content === null && calls.length === 0) return [];
  return [{ role, ...(name !== undefined && { name }), content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** Tool messages take texts only, and nothing may stand between them: a user's message behind them shows pictures. */
function results(turn: Turn, id: Writing["id"]): unknown[] {
  const all = resultsOf(turn);
  const shown = all.flatMap(({ content }) => content.filter(({ type }) => type !== "text"));
  const messages = all.map(({ callId, name, content }) => {
    const hasMedia = content.some(({ type }) => type !== "text");
    return result(id(callId), name, words(content) || (hasMedia ? "(shown below)" : NOTHING));
  });
  return shown.length === 0
    ? messages
    : [...messages, { role: "user", content: contentOf([{ type: "text", text: "(of the results above)" }, ...shown]) }];
}

/** A result belongs to its call by id, name or order. */
function result(callId: string, name: string | undefined, content: string): Fields {
  if (callId.startsWith(OLD)) return { role: "function", name: callId.slice(OLD.length).replace(/#\d+$/, ""), content };
  if (isMadeUp(callId)) return { role: "tool", ...(name && { tool_name: name }), content };
  return { role: "tool", tool_call_id: callId, content };
}

function call({ callId, name, arguments: args }: Extract<Part, { type: "toolCall" }>, id: Writing["id"]): Fields {
  return { id: id(callId), type: "function", function: { name, arguments: argumentsText(args) } };
}

/** Texts alone are one text. */
function contentOf(parts: readonly Part[]): unknown {
  return parts.every(({ type }) => type === "text") ? words(parts) : parts.map(contentPart);
}

function contentPart(part: Part): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  const media = mediaOf(part)!;
  if (part.type === "image")
    return {
      type: "image_url",
      image_url: { url: urlOf(media), ...(media.detail !== undefined && { detail: media.detail }) },
    };
  // Documents have no address in this format.
  if (media.base64 === undefined) return { type: "text", text: `(document: ${media.url})` };
  const format = audioFormat(media.mediaType);
  if (format) return { type: "input_audio", input_audio: { data: media.base64, format } };
  const [, kind = "bin"] = media.mediaType.split(/[/+]/);
  return { type: "file", file: { filename: `document.${kind}`, file_data: urlOf(media) } };
}
