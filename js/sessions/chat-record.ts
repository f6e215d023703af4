/** A message of OpenAI's chat completions among what an agent keeps beside it: ids, times, tokens, marks. */

import { objects, text, word } from "./draft.ts";
import type { Fields } from "./draft.ts";

/** Returns a call as it is sent; arguments that are no text become their JSON. */
export function chatCall(id: unknown, name: unknown, args: unknown): Fields {
  const text = typeof args === "string" ? args : JSON.stringify(args ?? {});
  return { id: word(id), type: "function", function: { name: word(name), arguments: text } };
}

const ROLES = /^(system|user|assistant|tool)$/;

/**
 * Returns the message as it is sent; undefined if the record is none. Calls may be a list or its JSON, thoughts may be
 * `reasoning_content` or `reasoning`.
 */
export function chatMessage(record: Fields): Fields | undefined {
  const { role, content, tool_calls: given, tool_call_id: id, reasoning_content: sent, reasoning } = record;
  if (typeof role !== "string" || !ROLES.test(role)) return undefined;
  const message: Fields = { role, content: typeof content === "string" || Array.isArray(content) ? content : "" };
  if (role === "tool") return { ...message, tool_call_id: text(id) ?? "" };
  if (role !== "assistant") return message;
  const thought = text(sent) ?? text(reasoning);
  if (thought !== undefined) message["reasoning_content"] = thought;
  const calls = objects(listOf(given)).map(({ id: own, function: called }) => {
    const { name, arguments: args } = (called ?? {}) as Fields;
    return chatCall(text(own), text(name), args);
  });
  return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
