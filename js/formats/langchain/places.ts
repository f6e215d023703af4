/** Places of parts in LangChain's messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import { openedMessage } from "./form.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part(piece, message) {
    const { place, content } = openedMessage(message);
    if (piece === "result") return place;
    if (piece === "thought") return [...place, "additional_kwargs", "reasoning"];
    if (piece === "string") return [...place, content];
    return "list" in piece ? [...place, piece.list, piece.at] : [...place, content, piece.content];
  },
  item: (result, item) => within(result, "content" in result ? "content" : "content_blocks", item),
  arguments: [["args"], ["input"]],
  renamed: (_, name) => ({ place: ["name"], fix: { set: name } }),
};
