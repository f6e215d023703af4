/**
 * The AI SDK's model messages and UI messages. In: either of them, or a whole request. Out: neutral messages, and the
 * SDK's own again. Start at `read.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { marks } from "./marks.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { shape } from "./shape.ts";
import { thoughts } from "./thoughts.ts";
import { writeTool } from "./tools.ts";
import { usage } from "./usage.ts";
import { write } from "./write.ts";

export const aiSdk: Adapter<Piece> = {
  format: "ai-sdk",
  ...messages,
  write,
  shape,
  places,
  writeTool,
  usage,
  marks,
  thoughts,
};
