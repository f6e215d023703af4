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
  limits: {
    maxBytes: 32 * MB,
    maxImages: 100,
    // 5 MiB of base64.
    maxImageBytes: (5 * MIB * 3) / 4,
    maxImageSide: 8_000,
    maxImageSideOfMany: 2_000,
  },
  isServerItem: ({ content }) =>
    Array.isArray(content) && content.some((block: unknown) => isFields(block) && block["type"] === "compaction"),
};
