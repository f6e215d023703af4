/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table cannot be placed one by one.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid hears the keys.
/** A long list of rows of one height, of which only the visible ones exist; one tab stop, arrows move. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

interface Props {
  id: string;
  label: string;
  count: number;
  /** Pixels of a row. */
  height: number;
  /** Index of the row that has the focus of the list, or -1. */
  current: number;
  columns: readonly string[];
  row(index: number): ComponentChildren;
  /** Classes of a row. */
  state?(index: number): string;
  choose(index: number): void;
  /** Hears which rows can be seen. */
  seen?(from: number, to: number): void;
}

/** Rows beyond both edges, so that scrolling does not show gaps. */
const BEYOND = 8;

export function Windowed({ id, label, count, height, current, columns, row, state, choose, seen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(400);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setTall(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current!;
    if (current < 0) return;
    const head = element.querySelector<HTMLElement>(".head")?.offsetHeight ?? 0;
    const from = current * height;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + height > element.scrollTop + element.clientHeight - head)
      element.scrollTop = from + height - element.clientHeight + head;
  }, [current, height]);
  const first = Math.max(0, Math.floor(top / height) - BEYOND);
  const last = Math.min(count, Math.ceil((top + tall) / height) + BEYOND);
  useEffect(() => seen?.(first, last), [first, last, count, current]);
  const page = Math.max(1, Math.floor(tall / height) - 2);
  const moves: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
  };
  const rows = [];
  for (let index = first; index < last; index += 1)
    rows.push(
      <div
        key={index}
        id={`${id}-${index}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={index === current}
        class={`row ${state?.(index) ?? ""}`}
        style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
        onClick={() => choose(index)}
      >
        {row(index)}
      </div>,
    );
  return (
    <div
      id={id}
      ref={box}
      class="windowed"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={current >= first && current < last ? `${id}-${current}` : undefined}
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={(event) => {
        const next = moves[event.key];
        if (next === undefined || event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
        event.preventDefault();
        choose(Math.min(count - 1, Math.max(0, next)));
      }}
    >
      <div role="row" class="head" aria-rowindex={1}>
        {columns.map((name) => (
          <span role="columnheader" key={name}>
            {name}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${count * height}px` }}>
        {rows}
      </div>
    </div>
  );
}

export function Cell({ class: name, children }: { class?: string | undefined; children?: ComponentChildren }) {
  return (
    <span role="gridcell" class={name}>
      {children}
    </span>
  );
}
