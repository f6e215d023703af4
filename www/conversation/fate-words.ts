/** What became of a message, in words. */

import { FATES } from "../worker/questions.ts";

/** A change that frees nothing is a repair. */
export function fateWord(fate: number, before: number, after: number): string {
  const name = FATES[fate]!;
  return name === "changed" && before <= after ? "repaired" : FATE_WORDS[name];
}

const FATE_WORDS: Record<(typeof FATES)[number], string> = {
  kept: "kept",
  changed: "changed",
  dropped: "gone",
  covered: "covered",
  inserted: "added",
  hidden: "hidden",
};

/** Why, if no rule of the engine says more. */
export const REASONS: Record<(typeof FATES)[number], string> = {
  kept: "It fits, and is sent word for word.",
  changed: "It is sent shortened.",
  dropped: "It does not fit.",
  covered: "The summary replaces it.",
  inserted: "It replaces the messages that it summarises.",
  hidden: "An applied edit hides it.",
};
