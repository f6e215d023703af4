/**
 * The neutral model, for hosts that keep conversations in it. In: neutral messages. Out: the same, without a host's own
 * fields. Start at `read.ts`.
 */

import type { Rules } from "../adapter.ts";
import { marks } from "./marks.ts";
import { places } from "./places.ts";
import { shape } from "./shape.ts";

export const neutral: Rules<number> = {
  format: "espalier",
  shape,
  places,
  writeTool: ({ name, description }, schema) => ({
    name,
    ...(description !== undefined && { description }),
    schema: JSON.stringify(schema),
  }),
  marks,
  // Neutral thoughts do not tell who signed them.
  thoughts: { index: (piece) => piece, isUnsigned: () => false },
};
