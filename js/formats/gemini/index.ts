/**
 * Gemini's contents. In: its contents or a whole request. Out: neutral messages, and its own contents again. Start at
 * `read.ts`.
 */

import type { Adapter } from "../adapter.ts";
import { MB } from "../limits.ts";
import { resultBodies } from "./bodies.ts";
import { check } from "./checks.ts";
import { places } from "./places.ts";
import { messages } from "./read.ts";
import type { Piece } from "./read.ts";
import { shape } from "./shape.ts";
import { writeTool } from "./tools.ts";
import { usage } from "./usage.ts";
import { write } from "./write.ts";

export const gemini: Adapter<Piece> = {
  format: "gemini",
  ...messages,
  write,
  withSystem: (system, contents) => ({ systemInstruction: { parts: [{ text: system }] }, contents }),
  shape,
  places,
  writeTool,
  usage,
  check,
  // With inline data.
  // Google's pages "File input methods" (100 MB; 20 MB until 2025) and "Image understanding", September 2026.
  limits: { maxBytes: 100 * MB, maxImages: 3_600 },
  resultBodies,
};
