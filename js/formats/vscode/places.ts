/** Places of parts in VS Code's messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part: (piece) => (piece === "string" ? ["content"] : ["content", piece]),
  item: (result, item) => within(result, "content", item),
  arguments: [["input"]],
  renamed: (_, name) => ({ place: ["name"], fix: { set: name } }),
};
