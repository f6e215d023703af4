/** Places of parts in neutral messages. */

import type { Places } from "../adapter.ts";
import { within } from "../place.ts";

export const places: Places<number> = {
  part: (piece) => ["parts", piece],
  item: (result, item) => within(result, "content", item),
  arguments: [],
  renamed: (_, name) => ({ place: ["name"], fix: { set: name } }),
};
