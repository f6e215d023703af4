/** Places of parts in Anthropic's messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part(piece) {
    if (piece === "string") return ["content"];
    if ("about" in piece) return ["content", piece.about];
    return "mark" in piece ? ["content", piece.mark, "cache_control"] : ["content", piece.block];
  },
  item: (result, item) => within(result, "content", item),
  arguments: [["input"]],
  renamed: (_, name) => ({ place: ["name"], fix: { set: name } }),
};
