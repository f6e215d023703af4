/** @jsxImportSource preact */
/** The groups in which elements were rendered, in their order, with the budget that each had. */

import { useMemo, useState } from "preact/hooks";
import type { ITraceEpoch } from "../../js/prompt/tracer.ts";
import { briefOf } from "./model.ts";
import type { Tree } from "./model.ts";
import { counted, number } from "./number.ts";

const MAX_SHOWN = 500;

export function Epochs({ epochs, tree }: { epochs: readonly ITraceEpoch[]; tree: Tree }) {
  const [isOpen, setOpen] = useState(false);
  const indices = useMemo(() => new Map(isOpen ? tree.nodes.map(({ id }, index) => [id, index]) : []), [tree, isOpen]);
  const nameOf = (id: number) => (indices.has(id) ? briefOf(tree, indices.get(id)!) : `#${id}`);
  if (epochs.length === 0) return null;
  return (
    <details class="epochs" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Rendering order ({number(epochs.length)})</summary>
      <ol>
        {(isOpen ? epochs.slice(0, MAX_SHOWN) : []).map(
          ({ inNode, flexValue, tokenBudget, reservedTokens, elements }, at) => (
            <li key={at}>
              {inNode === undefined ? "the prompt" : `in ${nameOf(inNode)}`}
              {flexValue ? `, flexGrow ${flexValue}` : ""}: {counted(tokenBudget, "token")} left,{" "}
              {reservedTokens ? `${number(reservedTokens)} reserved, ` : ""}
              {counted(elements.length, "element")}
            </li>
          ),
        )}
      </ol>
    </details>
  );
}

/** Returns the budgets that elements received, by id. */
export function toldBy(epochs: readonly ITraceEpoch[]): ReadonlyMap<number, number> {
  return new Map(epochs.flatMap(({ elements }) => elements.map(({ id, tokenBudget }) => [id, tokenBudget] as const)));
}
