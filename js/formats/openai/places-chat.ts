/** Places of parts in OpenAI's chat messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import { isFields } from "../values.ts";
import type { Piece } from "./read-chat.ts";

export const places: Places<Piece> = {
  part(piece) {
    switch (piece.in) {
      case "string":
        return ["content"];
      case "content":
        return ["content", piece.at];
      case "images":
        return ["images", piece.at];
      case "call":
        return ["tool_calls", piece.at];
      case "function":
        return ["function_call"];
      case "refusal":
        return ["refusal"];
      case "reasoning":
        return [piece.field];
      default:
        return [];
    }
  },
  item: (result, item) => within(result, "content", item),
  arguments: [["function", "arguments"]],
  renamed(holder, name) {
    const inner = ["function", "custom"].find((field) => isFields(holder[field]));
    // A result is the message itself; servers whose results have no name of their own take one here.
    const field = "role" in holder && !("name" in holder) ? "tool_name" : "name";
    return { place: inner === undefined ? [field] : [inner, "name"], fix: { set: name } };
  },
};
