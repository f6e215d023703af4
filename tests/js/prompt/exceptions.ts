/**
 * Allowed differences from the reference, one entry a rule, and what must hold for each. A rule applies to a case
 * exactly if switching it changes the model's result; no case is excluded.
 */

import type { Rules } from "./model.ts";
import { modelRenderer, RULES, rules } from "./model.ts";
import type { Outcome, Rendered } from "./outcome.ts";
import { run } from "./outcome.ts";
import type { Case } from "./random-tree.ts";
import { reference } from "./subject.ts";
import { isDeepStrictEqual } from "node:util";

export interface Exception {
  rule: keyof Rules;
  /** True if only the place at which removal stops changes, not what is removed and in which order. */
  sameOrder: boolean;
  why: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    rule: "exactStop",
    sameOrder: true,
    why: "the reference subtracts 1.25 times a bound and may remove more than it must",
  },
  { rule: "emptyFree", sameOrder: true, why: "the reference counts messages that it does not send" },
  { rule: "trap", sameOrder: true, why: "the reference throws although something else could go" },
  { rule: "callsFreed", sameOrder: true, why: "the reference keeps counting tool calls that were dropped" },
  { rule: "keepsRank", sameOrder: false, why: "what grew has the highest priority in the reference" },
  {
    rule: "growthFits",
    sameOrder: false,
    why: "the reference keeps growth that does not fit, and other content goes for it",
  },
  { rule: "growthSeen", sameOrder: false, why: "the reference sends and counts the text of before the growth" },
  { rule: "ownBreaks", sameOrder: false, why: "chunks that are prepared together move each other's place in the text" },
  {
    rule: "countedOnce",
    sameOrder: true,
    why: "the reference counts nodes again that keep-with removes from what is gone already",
  },
  { rule: "limits", sameOrder: false, why: "shares of limited siblings depend on their order in the reference" },
  { rule: "namesElement", sameOrder: true, why: "the reference names no element when it refuses content" },
  { rule: "noBasis", sameOrder: false, why: "budgets are NaN in the reference" },
];

/** Returns what must be equal in both. Characters are compared in sum. */
export function visible({ result, heard, epochs }: Outcome): Omit<Outcome, "characters" | "fresh"> {
  return { result, heard, epochs };
}

export function same(one: Outcome, other: Outcome): boolean {
  return isDeepStrictEqual(visible(one), visible(other));
}

export function succeeded(outcome: Outcome): outcome is Outcome & { result: Rendered } {
  return !("error" in outcome.result);
}

const NONE = modelRenderer(rules(false));
const ALL = modelRenderer(rules(true));
const WITHOUT = new Map(RULES.map((rule) => [rule, modelRenderer({ ...rules(true), [rule]: false })]));
const ONLY = new Map(RULES.map((rule) => [rule, modelRenderer({ ...rules(false), [rule]: true })]));

/** Returns the result of this test's model of the reference. */
export function modelOfReference(sample: Case, budget: number): Promise<Outcome> {
  return run(reference, sample, { budget, Renderer: NONE });
}

/** Returns the required result of ours. */
export function modelOfOurs(sample: Case, budget: number, fit = 0): Promise<Outcome> {
  return run(reference, sample, { budget, Renderer: fit === 0 ? ALL : modelRenderer(rules(true), fit) });
}

/** Returns the exceptions that apply to a case. */
export async function applying(sample: Case, budget: number): Promise<Exception[]> {
  const [none, all] = await Promise.all([modelOfReference(sample, budget), modelOfOurs(sample, budget)]);
  const found: Exception[] = [];
  for (const exception of EXCEPTIONS) {
    if (!same(await run(reference, sample, { budget, Renderer: WITHOUT.get(exception.rule) }), all))
      found.push(exception);
  }
  if (found.length > 0) return found;
  // Each of two alone may be enough.
  for (const exception of EXCEPTIONS) {
    if (!same(await run(reference, sample, { budget, Renderer: ONLY.get(exception.rule) }), none))
      found.push(exception);
  }
  return found;
}

/** Compares ours with the reference, given the exceptions that apply; returns a complaint if they contradict. */
export function complaint(
  theirs: Outcome,
  own: Outcome,
  budget: number,
  exceptions: readonly Exception[],
): string | undefined {
  if (succeeded(own)) {
    if (own.result.tokenCount !== own.fresh)
      return `tokenCount is ${own.result.tokenCount}, the messages cost ${own.fresh}`;
    if (own.fresh > budget) return `${own.fresh} tokens in a budget of ${budget}`;
  }
  // Growing elements take the slack that a cheaper prompt leaves, and may take more than there is; then anything may be
  // removed.
  if (exceptions.every(({ sameOrder }) => sameOrder) && !grew(theirs) && !grew(own)) {
    if (succeeded(theirs) && "error" in own.result) return `throws, but the reference does not: ${own.result.error}`;
    if (succeeded(theirs) && own.fresh < theirs.fresh && theirs.fresh <= budget)
      return `fills ${own.fresh} of ${budget}, the reference ${theirs.fresh}`;
  }
  return undefined;
}

function grew({ heard }: Outcome): boolean {
  return Object.values(heard).some((calls) => calls.filter((call) => call.startsWith("value")).length > 1);
}
