/** Restates a `budget_exceeded` of a part of the host's budget for the whole budget. */

import { EspalierError } from "./errors.ts";
import type { Contributor } from "./errors.ts";

/** The known facts of the whole budget. */
export interface Whole {
  /** The host's budget, in tokens. */
  budget: number;
  /** Content besides the messages that must fit as well. */
  beside?: readonly Contributor[];
  /** Tokens of the budget that are kept free. */
  spare?: number;
  path?: string;
  /** Converts an id to the host's name of the message. */
  named?: (id: string) => string;
}

/** Returns true for the error of a budget that what must stay exceeds. */
export function isExceeded(error: unknown): error is EspalierError & { code: "budget_exceeded" } {
  return error instanceof EspalierError && error.code === "budget_exceeded";
}

/** Returns true for the error of a stated limit that is not tokens. */
export const isOfLimit = ({ path = "" }: EspalierError) => path.startsWith("options.limits.");

/** Max contributors that are listed, the same as in the engine. */
const LARGEST = 5;

/**
 * Restates `budget_exceeded` for the whole budget. Returns other errors, and those of limits that are not tokens,
 * unchanged.
 */
export function restateExceeded(
  error: unknown,
  { budget, beside = [], spare = 0, path, named = (id) => id }: Whole,
): unknown {
  if (!isExceeded(error) || isOfLimit(error)) return error;
  const { needed: own, largest: found = [] } = error.details;
  const others = beside.filter(({ tokens }) => tokens > 0);
  const needed = others.reduce((sum, { tokens }) => sum + tokens, own + spare);
  const largest = [...others, ...found.map((one) => ({ ...one, ...(one.id !== undefined && { id: named(one.id) }) }))]
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST);
  const [first] = largest;
  const top = first ? `; the largest is ${first.id} (${first.why}, ${first.tokens} tokens)` : "";
  return new EspalierError({
    code: error.code,
    message: `What must be kept needs ${needed} tokens, the budget allows ${budget}${top}`,
    path,
    details: { budget, needed, largest },
    cause: error,
  });
}
