/** Signed thoughts: which of them may begin another message of their turn, and how they are put there. */

import type { Part } from "../types/messages.ts";
import { copy, isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/** Thoughts of a format in which they come back to the provider with its signature. */
export interface Thoughts<Piece> {
  /** Index of the thought in its message's list of parts; undefined for a piece that is outside the list. */
  index(piece: Piece): number | undefined;
  /** True for a thought that its provider did not sign. */
  isUnsigned(part: Fields): boolean;
}

/**
 * Ids of the messages whose thoughts stay where they are: those of another model than the newest message is of, where
 * messages say so (`model`), and those without a signature. Undefined for formats without signed thoughts.
 */
export function idsOfFixedThoughts(
  { thoughts }: { thoughts?: Pick<Thoughts<never>, "isUnsigned"> },
  originals: readonly unknown[],
  id: (at: number) => string,
): string[] | undefined {
  if (!thoughts) return undefined;
  const model = (message: unknown) =>
    isFields(message) && typeof message["model"] === "string" ? message["model"] : undefined;
  const newest = model(originals.findLast((message) => model(message) !== undefined));
  return originals.flatMap((message, at) => {
    const isOthers = newest !== undefined && (model(message) ?? newest) !== newest;
    return isOthers || listOf(message).some((part) => isFields(part) && thoughts.isUnsigned(part)) ? [id(at)] : [];
  });
}

/** Returns a copy of the message that begins with this part; undefined if the message has no list of parts. */
export function prependThought(message: Fields, part: unknown): Fields | undefined {
  const name = Array.isArray(message["parts"]) ? "parts" : "content";
  return Array.isArray(message[name]) ? copy(message, { [name]: [part, ...(message[name] as unknown[])] }) : undefined;
}

/** Returns the host's own block or part. */
export function thoughtAt(message: Fields, at: number): unknown {
  return listOf(message)[at];
}

function listOf(message: unknown): readonly unknown[] {
  const list = isFields(message) ? (message["parts"] ?? message["content"]) : undefined;
  return Array.isArray(list) ? list : [];
}

/** True for a signature, or for a sealed thought's data. */
export function isSeal(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * Bytes of a signature beside the encrypted thought: 170 in recordings of Claude Code of November 2025, whose thoughts
 * of 518 and 775 bytes have signatures of 688 and 945.
 */
const ENVELOPE = 170;

/**
 * Returns a thought. "The full thinking content is encrypted and returned in the signature field" (the guide of Amazon
 * Bedrock, 2026), so that a thought whose text is left out or only summarised costs what its signature tells.
 */
export function signedThought(text: string, seal: unknown): Part {
  const bytes = typeof seal === "string" ? Math.floor(seal.length * 0.75) - ENVELOPE : 0;
  const isLonger = bytes > text.length && bytes > new TextEncoder().encode(text).length + 3;
  return { type: "reasoning", text, ...(isLonger && { sealed: Math.ceil(bytes / 4) }) };
}
