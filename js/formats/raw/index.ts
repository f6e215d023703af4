/**
 * The renderer's own messages. In: those of `OutputMode.Raw`. Out: neutral messages, and raw ones again. Start at
 * `read.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { writeChatTool } from "../openai/tools.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { shape } from "./shape.ts";
import { write } from "./write.ts";

export const raw: Adapter<Piece> = { format: "raw", ...messages, write, shape, places, writeTool: writeChatTool };
