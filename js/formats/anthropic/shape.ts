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
    const isText = (part: unknown) => isFields(part) && part["type"] === "text";
    return type === "message" && ("stop_reason" in message || (Array.isArray(content) && content.some(isText)));
  },
};
