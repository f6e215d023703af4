/** System messages between the others, which newer models accept in some places. */

import { isFields } from "../values.ts";
import type { Fields } from "../values.ts";

/**
 * Models that accept them: Claude Opus 4.8 (Anthropic's page "Mid-conversation system messages", and 0.100.0 in the
 * changelog of its SDK, May 2026) and the models of 5.x (the profiles of @langchain/anthropic 1.5.13, October 2026).
 */
const MODELS = /claude-(opus-4[-.]8|(opus|sonnet|haiku|fable|mythos)-5)(?!\d)/i;

/** Returns whether a model accepts system messages between the others. */
export function takesSystemMessages(model: string | undefined): boolean {
  return model !== undefined && MODELS.test(model);
}

/**
 * Returns whether a system message may be there: behind a message of the user, or of the assistant if it ends with a
 * call that the server runs; and at the end or before a message of the assistant.
 */
export function isPlaceOfSystem(list: readonly Fields[], index: number): boolean {
  const [before, behind] = [list[index - 1], list[index + 1]];
  return (
    (before?.["role"] === "user" || (before?.["role"] === "assistant" && endsWithServerCall(before))) &&
    (behind === undefined || behind["role"] === "assistant")
  );
}

function endsWithServerCall({ content }: Fields): boolean {
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  if (!isFields(last)) return false;
  const { type } = last;
  return typeof type === "string" && (/^(server|mcp)_tool_use$/.test(type) || type.endsWith("_tool_result"));
}
