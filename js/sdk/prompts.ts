/** Prompts of the AI SDK's language models, as middleware and Mastra's processors see them. */

import type { PrepareOptions } from "../conversation/types.ts";
import { isFields } from "../formats/values.ts";

/** A message of a prompt. Only system messages have a text as their content. */
export interface PromptMessage {
  role: string;
  content: any;
}

/**
 * Splits off the system messages at the start. They may change with every step (dates, instructions), so the
 * conversation counts them and does not keep them.
 */
export function withoutSystem(prompt: readonly PromptMessage[]): {
  system: readonly PromptMessage[];
  rest: readonly PromptMessage[];
  options: PrepareOptions;
} {
  // The follower refuses what is no list.
  if (!Array.isArray(prompt)) return { system: [], rest: prompt, options: {} };
  const first = prompt.findIndex(({ role }) => role !== "system");
  const end = first < 0 ? prompt.length : first;
  const system = prompt.slice(0, end);
  return { system, rest: prompt.slice(end), options: { system: systemText(system) } };
}

/** Returns the text of instructions: a text, a system message, or a list of them. */
export function systemText(instructions: unknown): string {
  if (typeof instructions === "string") return instructions;
  if (Array.isArray(instructions)) return instructions.map(systemText).join("\n");
  return isFields(instructions) ? systemText(instructions["content"] ?? instructions["text"] ?? "") : "";
}

/** Returns the message with its content as a list of parts. New messages (summaries) have a text. */
export function asPromptMessage<T extends PromptMessage>(message: T): T {
  const { role, content } = message;
  return role === "system" || typeof content !== "string"
    ? message
    : { ...message, content: [{ type: "text", text: content }] };
}
