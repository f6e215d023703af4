/** Budgets that were a part of the host's, and are exceeded: told of the whole. */

import { EspalierError } from "./errors.ts";
import type { Contributor } from "./errors.ts";

/** What is known of the whole. */
export interface Whole {
  /** What the host allows, in tokens. */
  budget: number;
  /** What stands beside the messages and has to fit as well. */
  beside?: readonly Contributor[];
  /** Tokens of the budget that were kept free. */
  spare?: number;
  path?: string;
  /** What the host calls a message. */
  named?: (id: string) => string;
}

/** As many are named as by the engine. */
const LARGEST = 5;

/** `budget_exceeded` of a part of a budget, as it is of the whole; any other error as it came. */
export function exceeded(error: unknown, { budget, beside = [], spare = 0, path, named = (id) => id }: Whole): unknown {
  if (!(error instanceof EspalierError) || error.code !== "budget_exceeded") return error;
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
