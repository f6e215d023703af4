/**
 * Items of the OpenAI Agents SDK (`AgentInputItem`, version 0.20). In: items, or an object with `input`. Out: neutral
 * messages, and items again. Start at `read.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { inAnswer } from "../reasoning-ids.ts";
import { ids } from "../openai/write-responses.ts";
import { writeResponsesTool } from "../openai/tools.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { shape } from "./shape.ts";
import { write } from "./write.ts";

export const openaiAgents: Adapter<Piece> = {
  format: "openai-agents",
  ...messages,
  inAnswer,
  write,
  ids,
  shape,
  places,
  writeTool: writeResponsesTool,
  isServerItem: ({ type }) => type === "compaction",
};
