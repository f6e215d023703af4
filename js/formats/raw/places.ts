/** Places of parts in the renderer's own messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import { isFields } from "../values.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part(piece) {
    if (piece.in === "result") return [];
    return piece.in === "string" ? ["content"] : [piece.in === "call" ? "toolCalls" : "content", piece.at];
  },
  item: (result, item) => within(result, "content", item),
  arguments: [["function", "arguments"]],
  renamed: (holder, name) => ({
    place: isFields(holder["function"]) ? ["function", "name"] : ["name"],
    fix: { set: name },
  }),
};
