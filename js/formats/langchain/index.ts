/**
 * LangChain's messages (`@langchain/core` 1.x): instances of its classes, or their JSON. In: messages. Out: neutral
 * messages, and messages in the same form again; unchanged instances are the host's own. Start at `read.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { writeChatTool } from "../openai/tools.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { shape } from "./shape.ts";
import { toStored } from "./stored.ts";
import { write } from "./write.ts";

export const langchain: Adapter<Piece> = {
  format: "langchain",
  ...messages,
  write,
  shape,
  places,
  stored: { to: toStored, from: (message) => message },
  writeTool: writeChatTool,
};
