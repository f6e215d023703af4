/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/noStaticElementInteractions: the roles are given by the caller.
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: the roles are given by the caller.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the list has the keys of its rows.
/**
 * A list of rows of one height, of which only the visible ones are in the document. It is one tab stop: the list keeps
 * the focus, and `aria-activedescendant` names the current row.
 */

import type { ComponentChildren, HTMLAttributes } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Pixels of a row; the style sheet has the same number. */
export const ROW = 30;
/** Rows beyond the visible ones. */
const MARGIN = 8;

export interface WindowListProps {
  id: string;
  role: "tree" | "listbox";
  label: string;
  count: number;
  /** The current row, or -1. */
  active: number;
  onActive(row: number): void;
  /** Attributes of a row beside its place. */
  attributes(row: number): HTMLAttributes<HTMLDivElement>;
  row(row: number): ComponentChildren;
  /** Called for keys that the list does not use itself. */
  onKey?(event: KeyboardEvent): void;
  /** Shown if there are no rows. */
  empty: string;
}

export function WindowList({ id, role, label, count, active, onActive, onKey, ...rest }: WindowListProps) {
  const { attributes, row, empty } = rest;
  const list = useRef<HTMLDivElement>(null);
  const [{ top, height }, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = list.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = list.current!;
    if (active < 0) return;
    if (active * ROW < element.scrollTop) element.scrollTop = active * ROW;
    else if ((active + 1) * ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = (active + 1) * ROW - element.clientHeight;
  }, [active]);
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const last = Math.min(count, Math.ceil((top + height) / ROW) + MARGIN);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  // The current row stays in the document, so that it can be named.
  if (active >= 0 && active < count && (active < first || active >= last)) shown.push(active);
  const keys = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined || count === 0) return onKey?.(event);
    event.preventDefault();
    onActive(Math.min(count - 1, Math.max(0, to)));
  };
  return (
    <div
      class="rows"
      ref={list}
      id={id}
      role={count === 0 ? undefined : role}
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active >= 0 && active < count ? `${id}-${active}` : undefined}
      onKeyDown={keys}
      onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      onFocus={() => active < 0 && count > 0 && onActive(0)}
    >
      {count === 0 && <p class="nothing">{empty}</p>}
      <div role="presentation" style={{ height: `${count * ROW}px` }}>
        {shown.map((at) => (
          <div
            key={at}
            id={`${id}-${at}`}
            role={role === "tree" ? "treeitem" : "option"}
            aria-selected={at === active}
            style={{ transform: `translateY(${at * ROW}px)` }}
            onClick={() => onActive(at)}
            {...attributes(at)}
          >
            {row(at)}
          </div>
        ))}
      </div>
    </div>
  );
}
