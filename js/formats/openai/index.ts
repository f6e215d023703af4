/**
 * OpenAI's two formats: chat completions and Responses. In: messages, items, or a whole request. Out: neutral messages,
 * and OpenAI's own again. Start at `read-chat.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { inAnswer } from "../reasoning-ids.ts";
import { MB } from "../limits.ts";
import { checkChat, checkResponses } from "./checks.ts";
import { marks } from "./marks.ts";
import { places as chatPlaces } from "./places-chat.ts";
import { places as responsesPlaces } from "./places-responses.ts";
import { messages as chat } from "./read-chat.ts";
import type { Piece as ChatPiece } from "./read-chat.ts";
import { messages as responses } from "./read-responses.ts";
import type { Piece as ResponsesPiece } from "./read-responses.ts";
import { chatShape, responsesShape } from "./shape.ts";
import { writeChatTool, writeResponsesTool } from "./tools.ts";
import { chatUsage, responsesUsage } from "./usage.ts";
import * as chatWriter from "./write-chat.ts";
import * as responsesWriter from "./write-responses.ts";

// 512 MB and 1,500 pictures: OpenAI's guide "Images and vision", September 2026; 50 MB and 500 until 2025. 128 tools:
// the message "array too long. Expected an array with maximum length 128", 2024 to 2026.
const limits = { maxBytes: 512 * MB, maxImages: 1_500, maxTools: 128 };

export const openaiChat: Adapter<ChatPiece> = {
  format: "openai-chat",
  ...chat,
  ...chatWriter,
  shape: chatShape,
  places: chatPlaces,
  writeTool: writeChatTool,
  usage: chatUsage,
  check: checkChat,
  checksAlone: true,
  limits,
  marks,
};

export const openaiResponses: Adapter<ResponsesPiece> = {
  format: "openai-responses",
  ...responses,
  ...responsesWriter,
  inAnswer,
  withInstructions: (instructions, input) => ({ instructions, input }),
  shape: responsesShape,
  places: responsesPlaces,
  writeTool: writeResponsesTool,
  usage: responsesUsage,
  check: checkResponses,
  limits,
  // OpenAI's page "Tool search", 2026.
  toolSearch: { type: "tool_search" },
  isServerItem: ({ type }) => type === "compaction",
};
