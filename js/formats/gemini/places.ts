/** Places of parts in Gemini's contents. */

import type { Places } from "../adapter.ts";
import { isFields } from "../values.ts";
import type { Piece } from "./read.ts";

const CALLS = ["functionCall", "function_call"];
const RESPONSES = ["functionResponse", "function_response"];

export const places: Places<Piece> = {
  part: (piece) => ["parts", piece],
  // The first item is what the function returned; its media are beside that.
  item(result, item) {
    const name = RESPONSES.find((field) => isFields(result[field])) ?? RESPONSES[1]!;
    return item === 0 ? [name, "response"] : [name, "parts", item - 1];
  },
  arguments: CALLS.map((name) => [name, "args"]),
  renamed(part, name) {
    const holder = [...CALLS, ...RESPONSES].find((field) => isFields(part[field]));
    return { place: holder === undefined ? ["name"] : [holder, "name"], fix: { set: name } };
  },
};
