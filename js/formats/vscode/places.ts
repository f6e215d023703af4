/** Places of parts in VS Code's messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";
import { isFields, withFields } from "../values.ts";
import type { Piece } from "./read.ts";

export const places: Places<Piece> = {
  part: (piece) => (piece === "string" ? ["content"] : ["content", piece]),
  item: (result, item) => within(result, "content", item),
  arguments: [["input"]],
  renamed: (_, name) => ({ place: ["name"], fix: { set: name } }),
  /** Returns a text part of the class of the message's other text parts. */
  note(text, { content }) {
    const like = Array.isArray(content)
      ? content.find((item: unknown) => isFields(item) && typeof item["value"] === "string")
      : undefined;
    return withFields(like ? (Object.getPrototypeOf(like) as object | null) : Object.prototype, { value: text });
  },
};
