/** Neutral parts and turns as Gemini's parts and contents. */

import { mediaOf } from "../media.ts";
import { objectArguments, words } from "../parts.ts";
import { resultsOf } from "../turns.ts";
import type { Turn, Writing } from "../turns.ts";
import type { Part } from "../../types/messages.ts";
import type { Fields } from "../values.ts";

/** Returns the parts of a turn as one content. */
export function write(turn: Turn, { id }: Writing): unknown[] {
  const parts =
    turn.role === "tool"
      ? resultsOf(turn).flatMap((result) => response(result, id))
      : turn.parts.flatMap((item) => part(item, id));
  return parts.length === 0 ? [] : [{ role: turn.role === "assistant" ? "model" : "user", parts }];
}

const same: Writing["id"] = (callId) => callId;

/** Returns a response; what the tool showed is beside it. */
export function response(
  { callId, name, content, isError }: Extract<Part, { type: "toolResult" }>,
  id: Writing["id"] = same,
): Fields[] {
  const said = words(content);
  return [
    {
      functionResponse: {
        ...withId(id(callId)),
        name: name ?? "unknown",
        response: isError ? { error: said } : { output: said },
      },
    },
    ...content.flatMap((item) => (item.type === "text" ? [] : part(item))),
  ];
}

/** Returns a text, picture, document or call as a part. */
export function part(item: Part, id: Writing["id"] = same): Fields[] {
  if (item.type === "text") return item.text === "" ? [] : [{ text: item.text }];
  if (item.type === "toolCall")
    return [{ functionCall: { ...withId(id(item.callId)), name: item.name, args: objectArguments(item.arguments) } }];
  const media = mediaOf(item);
  if (!media) return [];
  const { mediaType, base64, url } = media;
  return [
    url === undefined
      ? { inlineData: { mimeType: mediaType, data: base64 } }
      : { fileData: { fileUri: url, mimeType: mediaType } },
  ];
}

/** Ids that the reader made up mean nothing to the provider. */
function withId(id: string): Fields {
  return id === "" || /^(call|orphan):/.test(id) ? {} : { id };
}

export function isResponse(part: unknown): boolean {
  return typeof part === "object" && part !== null && ("functionResponse" in part || "function_response" in part);
}
