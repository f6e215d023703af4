/**
 * Anthropic's Messages. In: its messages or a whole request. Out: neutral messages, and its own messages again.
 * Start at `read.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { MB, MIB } from "../limits.ts";
import { isFields } from "../values.ts";
import { check } from "./checks.ts";
import { marks } from "./marks.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { shape } from "./shape.ts";
import { writeTool } from "./tools.ts";
import { usage } from "./usage.ts";
import { thoughts } from "./thoughts.ts";
import { ids, write } from "./write.ts";

export const anthropic: Adapter<Piece> = {
  format: "anthropic",
  ...messages,
  write,
  ids,
  withSystem: (system, list) => ({ system, messages: list }),
  shape,
  places,
  writeTool,
  usage,
  check,
  marks,
  thoughts,
  // Anthropic's pages "Vision", "Request size limits" and "Messages", September 2026.
  limits: {
    maxBytes: 32 * MB,
    maxMessages: 100_000,
    maxImages: 100,
    large: { minTokens: 1_000_000, limits: { maxImages: 600 } },
    // 5 MiB of base64.
    maxImageBytes: (5 * MIB * 3) / 4,
    maxImageSide: 8_000,
    maxImageSideOfMany: 2_000,
  },
  // Anthropic's page "Tool search tool", 2026.
  toolSearch: { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
  isServerItem: ({ content }) =>
    Array.isArray(content) && content.some((block: unknown) => isFields(block) && block["type"] === "compaction"),
};
