/** Places of parts in the AI SDK's messages. */

import type { Places } from "../adapter.ts";
import { isFields } from "../values.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part: ({ at }, message) =>
    at === "string" ? ["content"] : [Array.isArray(message["parts"]) ? "parts" : "content", at],
  item: ({ output }, item) => (isFields(output) ? ["output", "value", item] : ["output"]),
  arguments: [["input"], ["args"], ["toolInvocation", "args"]],
  renamed({ type, toolInvocation }, name) {
    // A UI message has the name of a static tool in the type of its part.
    const isStatic = typeof type === "string" && /^tool-(?!(call|result|invocation)$)/.test(type);
    if (isStatic) return { place: ["type"], fix: { set: `tool-${name}` } };
    return { place: isFields(toolInvocation) ? ["toolInvocation", "toolName"] : ["toolName"], fix: { set: name } };
  },
};
