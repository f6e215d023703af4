/** Cuts texts to their tokens by the renderer's count. */

import { summarizeDocument } from "../documents/summarize.ts";
import type { DocumentSummary, SummaryDocument, SummaryOptions } from "../documents/summarize.ts";
import { EspalierError } from "../errors/errors.ts";

/** Max attempts at a summary if the renderer counts more than o200k_base does. */
const TRIES = 6;

interface Room {
  most: number;
  countTokens: (text: string) => Promise<number> | number;
  /** Returns the visible form of a summary. Default: its text. */
  show?: (summary: DocumentSummary) => string;
}

/**
 * Cuts a text to at most `most` tokens by the renderer's count; returns an empty text if the selection does not fit.
 */
export async function shortened(
  text: string,
  options: SummaryDocument & Partial<SummaryOptions>,
  { most: room, countTokens, show = ({ text }) => text }: Room,
): Promise<string> {
  // NaN and infinity set no limit; the summary takes whole numbers only.
  const most = Number.isNaN(room)
    ? Number.MAX_SAFE_INTEGER
    : Math.min(Math.max(0, Math.floor(room)), Number.MAX_SAFE_INTEGER);
  let budget = most;
  for (let tries = 0; tries < TRIES; tries++) {
    let summary: string;
    try {
      summary = show(await summarizeDocument(text, { ...options, budget }));
    } catch (error) {
      if (error instanceof EspalierError && error.code === "budget_exceeded") return "";
      throw error;
    }
    const counted = await countTokens(summary);
    if (counted <= most) return summary;
    budget = Math.floor(budget * Math.min(0.95, most / counted));
  }
  return "";
}
