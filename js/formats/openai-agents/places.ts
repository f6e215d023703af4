/** Places of parts in items of the OpenAI Agents SDK. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part(piece, item) {
    if (piece !== "item") return ["content", piece.content];
    return typeof item["content"] === "string" ? ["content"] : [];
  },
  item: (result, item) => within(result, "output", item),
  arguments: [["action"], ["operation"]],
  renamed: (_, name) => ({ place: ["name"], fix: { set: name } }),
};
