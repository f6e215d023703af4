/** Requests as the clients of providers send them: which bodies are calls of the model, and what is in them. */

import { isEqual, isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/** By format: the list of a request's messages, and the paths of its requests; others count tokens or embed. */
export const SENT: Readonly<Record<string, { list: string; path: RegExp }>> = {
  "openai-chat": { list: "messages", path: /(?:)/ },
  "openai-responses": { list: "input", path: /\/responses$/ },
  anthropic: { list: "messages", path: /^(?!.*count[-_]tokens$)/ },
  gemini: { list: "contents", path: /:(stream)?generateContent$/i },
};

/** True for requests whose history is on the server: of Responses, and in a message thread of Anthropic. */
export function isElsewhere({ previous_response_id: previous, conversation, thread }: Fields): boolean {
  return Boolean(previous ?? conversation ?? (isFields(thread) && thread["previous_message_id"]));
}

/** Returns the system prompt that a request has beside its messages. */
export function instructionsOf(body: Fields): string {
  return ["system", "instructions", "systemInstruction", "system_instruction"]
    .map((name) => textOf(body[name]))
    .filter((text) => text !== "")
    .join("\n");
}

/** Returns the text of a text, a block, or what holds a list of them. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  return isFields(value) ? textOf(value["text"] ?? value["parts"] ?? value["content"]) : "";
}

/** Compares messages but for cache marks: clients move them to the newest message with every request. */
export function isSameUnmarked(one: unknown, other: unknown): boolean {
  return isEqual(one, other) || isEqual(unmarked(one), unmarked(other));
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(entries.map(([key, inner]) => [key, unmarked(inner)]));
}
