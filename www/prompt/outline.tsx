/** @jsxImportSource preact */
/** The tree as an outline: names, texts, priorities, tokens, and for removed nodes the order and the reason. */

import { useMemo } from "preact/hooks";
import { number } from "./number.ts";
import { briefOf, isGone, nameOf, peekOf, priorityOf, rowFor, rowsOf, shortReason, textIn } from "./model.ts";
import type { Shown } from "./model.ts";
import { WindowList } from "./window-list.tsx";

export interface OutlineProps {
  shown: Shown;
  /** Number of steps of removal that have been made. */
  count: number;
  selected: number;
  onSelect(index: number): void;
  closed: ReadonlySet<number>;
  onClosed(closed: ReadonlySet<number>): void;
  /** Budgets that elements received, by id. */
  told: ReadonlyMap<number, number>;
}

/** Levels beyond this one are not indented further. */
const MAX_INDENT = 12;

export function Outline({ shown, count, selected, onSelect, closed, onClosed, told }: OutlineProps) {
  const { tree, cut, stepOf } = shown;
  const { nodes, children, depths } = tree;
  const rows = useMemo(() => rowsOf(tree, (id) => closed.has(id)), [tree, closed]);
  const places = useMemo(() => new Map(rows.map((index, at) => [index, at])), [rows]);
  const siblings = (index: number) => (nodes[index]!.parent < 0 ? [0] : children[nodes[index]!.parent]!);
  const isOpenable = (index: number) => children[index]!.length > 0 && textIn(tree, index) === undefined;
  const close = (index: number, isClosed: boolean) => {
    const next = new Set(closed);
    if (isClosed) next.add(nodes[index]!.id);
    else next.delete(nodes[index]!.id);
    onClosed(next);
  };
  const keys = (event: KeyboardEvent) => {
    if (selected < 0) return;
    const isClosed = closed.has(nodes[selected]!.id);
    if (event.key === "ArrowRight" && isOpenable(selected)) {
      if (isClosed) close(selected, false);
      else onSelect(children[selected]![0]!);
    } else if (event.key === "ArrowLeft") {
      if (isOpenable(selected) && !isClosed) close(selected, true);
      else if (nodes[selected]!.parent >= 0) onSelect(nodes[selected]!.parent);
    } else if ((event.key === "Enter" || event.key === " ") && isOpenable(selected)) close(selected, !isClosed);
    else return;
    event.preventDefault();
  };
  return (
    <WindowList
      id="outline"
      role="tree"
      label="Elements of the prompt"
      count={rows.length}
      active={places.get(selected) ?? -1}
      onActive={(at) => onSelect(rows[at]!)}
      onKey={keys}
      empty="The prompt has no elements."
      attributes={(at) => {
        const index = rows[at]!;
        const among = siblings(index);
        return {
          class: `row ${isGone(stepOf[index]!, count) ? "gone" : ""}`,
          "aria-level": depths[index]! + 1,
          "aria-setsize": among.length,
          "aria-posinset": among.indexOf(index) + 1,
          ...(isOpenable(index) && { "aria-expanded": !closed.has(nodes[index]!.id) }),
        };
      }}
      row={(at) => {
        const index = rows[at]!;
        const node = nodes[index]!;
        const step = stepOf[index]!;
        const gone = isGone(step, count);
        const peek = peekOf(nodes[textIn(tree, index) ?? index]!);
        const tokens = cut.sizes[index];
        return (
          <>
            <span class="indent" style={{ width: `${Math.min(MAX_INDENT, depths[index]!) * 14}px` }} />
            <span
              class="twig"
              aria-hidden="true"
              onClick={(event) => {
                if (!isOpenable(index)) return;
                event.stopPropagation();
                close(index, !closed.has(node.id));
              }}
            >
              {isOpenable(index) ? (closed.has(node.id) ? "▸" : "▾") : ""}
            </span>
            {gone && (
              <span class="order">
                <span class="spoken">removed as number </span>
                {step + 1}
              </span>
            )}
            <span class={node.type === "text" ? "peek" : "name"}>
              {node.type === "text" ? peek || "(empty text)" : nameOf(tree, index)}
            </span>
            {gone && <span class="why">{shortReason(shown, index)}</span>}
            {node.type !== "text" && <span class="peek">{peek}</span>}
            <span class="facts">
              {told.has(node.id) && <span class="told">told {number(told.get(node.id)!)}</span>}
              {priorityOf(node) !== "" && <span class="rank">priority {priorityOf(node)}</span>}
              <span class="count">
                {tokens === undefined ? "" : number(tokens)}
                <span class="spoken"> tokens</span>
              </span>
            </span>
          </>
        );
      }}
    />
  );
}

/** The removals in their order. */
export function Removals({ shown, count, selected, onSelect }: Omit<OutlineProps, "closed" | "onClosed" | "told">) {
  const { steps, tree } = shown;
  const active = selected < 0 ? -1 : shown.stepOf[selected]!;
  return (
    <WindowList
      id="removals"
      role="listbox"
      label="Removed, in order"
      count={steps.length}
      active={active}
      onActive={(step) => onSelect(steps[step]!.victim)}
      empty="Nothing was removed: everything fits."
      attributes={(step) => ({ class: `row ${step < count ? "" : "later"}` })}
      row={(step) => {
        const { victim, freed } = steps[step]!;
        return (
          <>
            <span class="order">{step + 1}</span>
            <span class="name">{briefOf(tree, rowFor(tree, victim))}</span>
            <span class="why">{shortReason(shown, victim)}</span>
            <span class="facts">
              <span class="count">
                −{number(freed)}
                <span class="spoken"> tokens</span>
              </span>
            </span>
          </>
        );
      }}
    />
  );
}
