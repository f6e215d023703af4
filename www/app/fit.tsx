/** @jsxImportSource preact */
/** The budget as a slider and a number, for views whose slider has no marks. */

import { useState } from "preact/hooks";
import { readBudget } from "./address.ts";
import { budget, failure } from "./state.ts";

interface Props {
  /** Tokens at the right end of the slider. */
  max: number;
  step?: number;
  /** What the budget means now, for people who hear it. */
  inWords: string;
}

export function Fit({ max, step = 1, inWords }: Props) {
  // What is typed stays while results arrive, until it is entered.
  const [draft, setDraft] = useState<string>();
  const value = budget.value;
  const set = (text: string) => {
    const wanted = readBudget(text);
    if (wanted === undefined) {
      const message = "The budget must be a whole number of tokens, 0 or more.";
      failure.value = { code: "bad_option", message };
    } else {
      if (failure.value?.code === "bad_option") failure.value = undefined;
      budget.value = wanted;
    }
  };
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
      <label class="number">
        <input
          type="number"
          id="tokens"
          min={0}
          step={1}
          inputMode="numeric"
          aria-label="Budget in tokens"
          value={draft ?? value}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
          onChange={({ currentTarget }) => {
            setDraft(undefined);
            set(currentTarget.value);
          }}
        />{" "}
        tokens
      </label>
    </div>
  );
}
