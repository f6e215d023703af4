/** @jsxImportSource preact */
/** The budget of a traced prompt: a slider with a mark at every removal, a field, and steps from removal to removal. */

import { useMemo } from "preact/hooks";
import { TokensField } from "../parts/tokens-field.tsx";
import type { PageCut } from "../../js/prompt/html-tracer-data.ts";
import { briefOf, budgetWithout, budgetsWithout, errorOf, isForBudget, neededFor, rowFor } from "./model.ts";
import type { Shown } from "./model.ts";
import { counted, number } from "./number.ts";

/** Max marks on the slider. */
const MAX_MARKS = 400;

export interface BudgetBarProps {
  shown: Shown;
  /** Tokens of the whole prompt. */
  whole: number;
  budget: number;
  /** `isSettled` is false while the slider is dragged. */
  onBudget(budget: number, isSettled: boolean): void;
  /** Budgets with a known result; without them every budget has one. */
  budgets: readonly number[] | undefined;
  asRendered: number | undefined;
}

/** Returns the next budget at which something else is removed, or fewer nodes are. */
export function nextBudget({ cut, shown, budgets, whole }: Neighbours, direction: -1 | 1): number {
  const { budget, tokens, error } = cut;
  const needed = neededFor(shown);
  if (budgets) {
    const others = budgets.filter((one) => (direction < 0 ? one < budget : one > budget));
    return others.length === 0 ? budget : direction < 0 ? Math.max(...others) : Math.min(...others);
  }
  if (direction < 0) return error === undefined ? Math.max(0, Math.min(budget, tokens) - 1) : budget;
  if (error !== undefined && needed !== undefined) return Math.min(whole, needed);
  return shown.steps.length === 0
    ? whole
    : Math.min(whole, Math.max(budget + 1, budgetWithout(shown, shown.steps.length - 1)));
}

interface Neighbours {
  cut: PageCut;
  shown: Shown;
  budgets: readonly number[] | undefined;
  whole: number;
}

/** What a budget does, in words. */
export function outcomeOf({ tree, cut, steps }: Shown, whole: number): string {
  const { budget, tokens, error } = cut;
  if (error !== undefined) return `A budget of ${counted(budget, "token")} cannot be met: ${errorOf(cut)}`;
  if (steps.length === 0) return `${counted(tokens, "token")} of ${number(budget)}: everything fits.`;
  const first = briefOf(tree, rowFor(tree, steps[0]!.victim));
  const gone = `${counted(steps.length, "removal")}, ${number(whole)} → ${counted(tokens, "token")} of ${number(budget)}`;
  const last = steps.length > 1 ? `, newest ${briefOf(tree, rowFor(tree, steps.at(-1)!.victim))}` : "";
  return `${gone}. First to go: ${first}${last}.`;
}

/** Returns the budgets below which a removal is made. */
function marksOf(shown: Shown): number[] {
  const without = budgetsWithout(shown);
  return shown.steps.flatMap(({ removal }, step) => (isForBudget(removal) ? [without[step]! - 1] : []));
}

export function BudgetBar({ shown, whole, budget, onBudget, budgets, asRendered }: BudgetBarProps) {
  const { cut } = shown;
  const marks = useMemo(() => {
    const places = budgets ?? marksOf(shown);
    return places.length > MAX_MARKS ? [] : places;
  }, [shown, budgets]);
  const most = Math.max(whole, asRendered !== undefined && asRendered <= whole * 1.25 ? asRendered : 0, 1);
  const go = (direction: -1 | 1) => onBudget(nextBudget({ cut, shown, budgets, whole: most }, direction), true);
  return (
    <div class="budget">
      <label for="budget">Budget</label>
      <button
        type="button"
        class="step"
        aria-label="Remove the next one"
        title="Remove the next one ([)"
        onClick={() => go(-1)}
      >
        ‹
      </button>
      <div class="slide">
        <input
          id="budget"
          type="range"
          min={0}
          max={most}
          step={1}
          value={Math.min(most, budget)}
          aria-valuetext={`${number(budget)} tokens. ${outcomeOf(shown, whole)}`}
          onInput={({ currentTarget }) => onBudget(Number(currentTarget.value), false)}
          onChange={({ currentTarget }) => onBudget(Number(currentTarget.value), true)}
        />
        <svg class="marks" viewBox={`0 0 ${most} 1`} preserveAspectRatio="none" aria-hidden="true">
          <path d={marks.map((at) => `M${at} 0v1`).join("")} />
        </svg>
      </div>
      <button
        type="button"
        class="step"
        aria-label="Put the last one back"
        title="Put the last one back (])"
        onClick={() => go(1)}
      >
        ›
      </button>
      <TokensField id="tokens" tokens={budget} label="Budget in tokens" onEnter={(tokens) => onBudget(tokens, true)}>
        {" "}
        of {number(whole)}
      </TokensField>
      {asRendered !== undefined && (
        <button type="button" id="reset" disabled={budget === asRendered} onClick={() => onBudget(asRendered, true)}>
          As rendered
        </button>
      )}
    </div>
  );
}
