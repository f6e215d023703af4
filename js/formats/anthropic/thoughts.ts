/** Anthropic's thoughts: each has a signature, a redacted one its sealed data. */

import type { Thoughts } from "../thinking.ts";
import { isSeal } from "../thinking.ts";
import type { Fields } from "../values.ts";
import type { Piece } from "./read.ts";

export function isThought({ type }: Fields): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** True for a thought that the server signed. */
export function isSigned(thought: Fields): boolean {
  return isSeal(thought[thought["type"] === "thinking" ? "signature" : "data"]);
}

export const thoughts: Thoughts<Piece> = {
  index: (piece) => (piece !== "string" && "block" in piece ? piece.block : undefined),
  isUnsigned: (block) => isThought(block) && !isSigned(block),
};
