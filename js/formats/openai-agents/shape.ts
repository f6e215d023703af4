/** How items of the OpenAI Agents SDK are recognised, and the types that version 0.20 has. */

import type { Shape } from "../shape.ts";
import { isFields } from "../values.ts";

/** Where each type of call keeps its input. */
export const CALLS: ReadonlyMap<unknown, string> = new Map([
  ["function_call", "arguments"],
  ["computer_call", "action"],
  ["shell_call", "action"],
  ["apply_patch_call", "operation"],
  ["program", "code"],
  ["tool_search_call", "arguments"],
]);

/** Where each type of result keeps its output. */
export const RESULTS: ReadonlyMap<unknown, string> = new Map([
  ["function_call_result", "output"],
  ["computer_call_result", "output"],
  ["shell_call_output", "output"],
  ["apply_patch_call_output", "output"],
  ["program_output", "output"],
  ["tool_search_output", "tools"],
]);

/** Types of the assistant's other items. */
export const OTHERS: ReadonlySet<unknown> = new Set(["hosted_tool_call", "reasoning", "compaction", "unknown"]);

/** The field that the Responses API writes with an underscore. */
const ID = "callId";

export const shape: Shape = {
  variantOf: "openai-responses",
  isMessage: (item) =>
    item["role"] === undefined
      ? item["type"] === "hosted_tool_call" || (ID in item && (CALLS.has(item["type"]) || RESULTS.has(item["type"])))
      : Array.isArray(item["content"]) && item["content"].some(isMedia),
};

/** True for a picture or a document under the SDK's names; the Responses API has `image_url` and `file_data`. */
function isMedia(part: unknown): boolean {
  return (
    isFields(part) &&
    ((part["type"] === "input_image" && "image" in part) || (part["type"] === "input_file" && "file" in part))
  );
}

/** True for the result of a call. */
export function isResult(item: object): boolean {
  return RESULTS.has((item as { type?: unknown }).type);
}
