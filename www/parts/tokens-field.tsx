/** @jsxImportSource preact */
/** The field for a budget. What is typed stays while results arrive, until it is entered. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { readBudget } from "../app/address.ts";

export interface TokensFieldProps {
  id: string;
  tokens: number;
  onEnter(tokens: number): void;
  /** Something was entered that is no whole number of tokens; the field shows the budget again. */
  onRefuse?(): void;
  /** The name of the field, if the text beside it does not say it. */
  label?: string;
  /** The text beside it. */
  children?: ComponentChildren;
}

export function TokensField({ id, tokens, onEnter, onRefuse, label, children }: TokensFieldProps) {
  const [draft, setDraft] = useState<string>();
  return (
    <label class="tokens">
      <input
        type="number"
        id={id}
        min={0}
        step={1}
        inputMode="numeric"
        value={draft ?? tokens}
        aria-label={label}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        onChange={({ currentTarget }) => {
          const entered = readBudget(currentTarget.value);
          setDraft(undefined);
          currentTarget.value = String(entered ?? tokens);
          if (entered === undefined) onRefuse?.();
          else onEnter(entered);
        }}
      />
      {children}
    </label>
  );
}
