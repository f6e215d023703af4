/** How Anthropic's messages are recognised. */

import type { Shape } from "../shape.ts";
import { isFields } from "../values.ts";

const TYPES: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "document",
]);

export const shape: Shape = {
  isContent: (item) => TYPES.has(item["type"]) || (item["type"] === "image" && "source" in item),
  // An answer is a message, too. Messages of the Responses API have no parts of the type "text".
  isLikely(message) {
    const { type, content } = message;
    return type === "message" && ("stop_reason" in message || (Array.isArray(content) && content.some(isText)));
  },
  // OpenAI writes messages of texts only in the same way.
  canBe: (list) =>
    list.every((message) => {
      if (!isFields(message) || (message["role"] !== "user" && message["role"] !== "assistant")) return false;
      const { content, tool_calls: calls } = message;
      return calls === undefined && (typeof content === "string" || (Array.isArray(content) && content.every(isText)));
    }),
};

function isText(part: unknown): boolean {
  return isFields(part) && part["type"] === "text";
}
