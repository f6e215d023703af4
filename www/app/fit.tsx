/** @jsxImportSource preact */
/** The budget as a slider and a number, for views whose slider has no marks. */

import { TokensField } from "../parts/tokens-field.tsx";
import { budget, enterBudget, refuseBudget } from "./state.ts";

interface Props {
  /** Tokens at the right end of the slider. */
  max: number;
  step?: number;
  /** What the budget means now, for people who hear it. */
  inWords: string;
}

export function Fit({ max, step = 1, inWords }: Props) {
  const value = budget.value;
  return (
    <div class="fit">
      <input
        type="range"
        id="slider"
        aria-label="Budget"
        min={0}
        max={Math.max(max, step)}
        step={step}
        value={Math.min(value, max)}
        aria-valuetext={inWords}
        onInput={({ currentTarget }) => (budget.value = Number(currentTarget.value))}
      />
      <TokensField id="tokens" tokens={value} label="Budget in tokens" onEnter={enterBudget} onRefuse={refuseBudget}>
        {" "}
        tokens
      </TokensField>
    </div>
  );
}
