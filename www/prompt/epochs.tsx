/** @jsxImportSource preact */
/** The groups in which elements were rendered, in their order, with the budget that each had. */

import type { ITraceEpoch } from "../../js/prompt/tracer.ts";
import { counted, number } from "./number.ts";

const MAX_SHOWN = 500;

export function Epochs({ epochs, nameOf }: { epochs: readonly ITraceEpoch[]; nameOf(id: number): string }) {
  if (epochs.length === 0) return null;
  return (
    <details class="epochs">
      <summary>Rendering order ({number(epochs.length)})</summary>
      <ol>
        {epochs.slice(0, MAX_SHOWN).map(({ inNode, flexValue, tokenBudget, reservedTokens, elements }, at) => (
          <li key={at}>
            {inNode === undefined ? "the prompt" : `in ${nameOf(inNode)}`}
            {flexValue ? `, flexGrow ${flexValue}` : ""}: {counted(tokenBudget, "token")} left,{" "}
            {reservedTokens ? `${number(reservedTokens)} reserved, ` : ""}
            {counted(elements.length, "element")}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Returns the budgets that elements received, by id. */
export function toldBy(epochs: readonly ITraceEpoch[]): ReadonlyMap<number, number> {
  return new Map(epochs.flatMap(({ elements }) => elements.map(({ id, tokenBudget }) => [id, tokenBudget] as const)));
}
