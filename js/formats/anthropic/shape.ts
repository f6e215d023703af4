/** How Anthropic's messages are recognised. */

import type { Shape } from "../shape.ts";
import { isFields } from "../values.ts";

/** Blocks of Anthropic's page "Messages", September 2026. */
const TYPES: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "redacted_thinking",
  "server_tool_use",
  "mcp_tool_use",
  "document",
  "search_result",
  "container_upload",
  "compaction",
]);
/** Results of tools that the server runs: `web_search_tool_result`, `mcp_tool_result` and others. */
const SERVER_RESULT = /^[a-z_]+_tool_result$/;

/** Fields of a request that only Anthropic's has, and the names of its models without the prefix of a gateway. */
const FIELDS = ["mcp_servers", "anthropic_version", "anthropic_beta"];
const MODEL = /^claude\b/;

export const shape: Shape = {
  isContent: ({ type, ...item }) =>
    TYPES.has(type) ||
    (type === "thinking" && "signature" in item) ||
    (type === "image" && "source" in item) ||
    (typeof type === "string" && "tool_use_id" in item && SERVER_RESULT.test(type)),
  // Cohere writes thoughts without a signature in the same way, Mistral as a list.
  isLikelyContent: ({ type, thinking }) => type === "thinking" && typeof thinking === "string",
  isRequest: ({ model, tools, ...request }) =>
    FIELDS.some((name) => name in request) ||
    (typeof model === "string" && MODEL.test(model)) ||
    (Array.isArray(tools) && tools.some((tool) => isFields(tool) && "input_schema" in tool)),
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
