/** Texts cut down to their tokens, as a renderer counts them. */

import { summarizeDocument } from "../documents/structure.ts";
import type { DocumentSummary, SummaryDocument, SummaryOptions } from "../documents/structure.ts";
import { EspalierError } from "../errors/errors.ts";

/** How often a summary is made again because the renderer counts more than o200k_base does. */
const TRIES = 6;

interface Room {
  most: number;
  countTokens: (text: string) => Promise<number> | number;
  /** What is shown of a summary. Default: its text. */
  show?: (summary: DocumentSummary) => string;
}

/** A text cut down to at most `most` tokens as the renderer counts; empty if there is no room for what is selected. */
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
