/** How messages of chat completions and items of the Responses API are recognised. */

import { asList } from "../shape.ts";
import type { Shape } from "../shape.ts";

const CHAT_TYPES: ReadonlySet<unknown> = new Set(["image_url", "input_audio"]);

/** The reader refuses the last two, and names those that it reads. */
const CALL_FIELDS = ["tool_calls", "tool_call_id", "function_call", "toolCalls", "toolCallId"];

export const chatShape: Shape = {
  isMessage: (message) => !Array.isArray(message["parts"]) && CALL_FIELDS.some((name) => name in message),
  // A part of the AI SDK has the same type, but no field of this name.
  isContent: (item) => CHAT_TYPES.has(item["type"]) || (item["type"] === "file" && "file" in item),
  isLikely: ({ role }) => role === "tool",
};

/** Types of items that have no role; events of streams are called `tool_call`. */
const ITEM =
  /^(?!tool_call$).*(_call|_call_output|tool_search_output|compaction|compaction_summary)$|^(reasoning|item_reference|message|program|mcp_.*)$/;
const ITEM_TYPES: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image", "input_file"]);

const isItem: Shape["isItem"] = ({ type }) => typeof type === "string" && ITEM.test(type);

export const responsesShape: Shape = {
  list: {
    name: "input",
    // A single text is legal.
    read: (input) => (typeof input === "string" ? [{ role: "user", content: input }] : asList(input)),
  },
  // What only says that it is a message may be an answer of Anthropic's.
  isMessage: (message) => message["role"] === undefined && message["type"] !== "message" && isItem(message),
  isContent: (item) => ITEM_TYPES.has(item["type"]),
  isItem,
};
