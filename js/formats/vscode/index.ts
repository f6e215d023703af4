/**
 * VS Code's language model messages. In: its messages. Out: neutral messages, and instances of its classes again. Start
 * at `read.ts`; `classes.ts` finds the classes.
 */

import type { Adapter } from "../adapter.ts";
import { marks } from "./marks.ts";
import { fromStored, toStored } from "./parts.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { writeTool } from "./tools.ts";
import { write } from "./write.ts";

export const vscode: Adapter<Piece> = {
  format: "vscode",
  ...messages,
  write,
  places,
  writeTool,
  marks,
  stored: { to: toStored, from: fromStored },
};
