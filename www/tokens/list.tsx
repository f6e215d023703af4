/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table cannot be placed one by one.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active token.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid hears the keys.
/** The tokens in rows, of which only the visible ones exist; one tab stop, arrows move from token to token. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { budget } from "../app/state.ts";
import { number } from "../conversation/words.ts";
import { ID_SCALE, rowAt } from "./layout.ts";
import type { Token } from "./protocol.ts";
import { chosen, columns, counted, hasIds, hasSpaces, heads, rangeOf, rowOfToken, rows, see, tokens } from "./store.ts";

/** Pixels of a row, without and with ids. */
const HEIGHT = { plain: 24, ids: 42 };
const PADDING = 8;
/** Rows beyond both edges, so that scrolling does not show gaps. */
const BEYOND = 6;
/** Browsers do not scroll further; a longer list scrolls in larger steps. */
const MAX_PIXELS = 10_000_000;

export function TokenList() {
  const box = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const [tall, setTall] = useState(400);
  const height = hasIds.value ? HEIGHT.ids : HEIGHT.plain;
  const total = rows.value.length * height + 2 * PADDING;
  const pixels = Math.min(total, MAX_PIXELS);
  /** Pixels of the list for each pixel that is scrolled. */
  const scale = pixels > tall ? (total - tall) / (pixels - tall) : 1;
  const top = scrolled * scale;
  const first = Math.max(0, Math.floor((top - PADDING) / height) - BEYOND);
  const last = Math.min(rows.value.length, Math.ceil((top + tall) / height) + BEYOND);

  useEffect(() => {
    const element = box.current!;
    const digits = ruler.current!;
    // It may still report once when the view has gone.
    const observer = new ResizeObserver(() => {
      const width = digits.getBoundingClientRect().width / 10;
      if (width === 0) return;
      setTall(element.clientHeight);
      columns.value = Math.max(8, Math.floor((element.clientWidth - 2 * PADDING) / width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => see(first, last), [first, last, rows.value]);
  /** A row without tokens is a heading. */
  const isHead = (at: number) => {
    const [from, to] = rangeOf(at);
    return at >= 0 && at < rows.value.length && from === to;
  };
  /** Scrolls as little as is needed; what is far away comes to the top. */
  const show = (row: number, isChosen = false) => {
    const element = box.current!;
    let above = row;
    while (isHead(above - 1)) above--;
    const from = PADDING + above * height;
    const to = PADDING + (row + 1) * height;
    const isFar = isChosen && (to < top - tall || from > top + 2 * tall);
    if (from < top || isFar) element.scrollTop = (from - PADDING) / scale;
    else if (to > top + tall) element.scrollTop = (to + PADDING - tall) / scale;
  };
  const row = rowOfToken(chosen.value);
  useLayoutEffect(() => show(row, true), [chosen.value, rows.value]);
  // The end of the budget is shown while the budget changes.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && !counted.value?.request) show(rowOfToken(Math.max(0, budget.value - 1)));
    isFirst.current = rows.value.length === 0;
  }, [budget.value]);

  function move(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey } = event;
    const all = counted.value?.tokens ?? 0;
    if (altKey || metaKey || all === 0) return;
    const page = Math.max(1, Math.floor(tall / height) - 1);
    const [from, to] = rangeOf(row);
    /** The token below or above that is at the same place in its row. */
    const beside = (by: number) => {
      let wanted = Math.min(rows.value.length - 1, Math.max(0, row + by));
      while (isHead(wanted)) wanted += Math.sign(by);
      const [start, end] = rangeOf(wanted);
      // There are only headings further on.
      if (start === end) return chosen.value;
      return Math.min(end - 1, start + chosen.value - from);
    };
    const next = {
      ArrowRight: chosen.value + 1,
      ArrowLeft: chosen.value - 1,
      ArrowDown: beside(1),
      ArrowUp: beside(-1),
      PageDown: beside(page),
      PageUp: beside(-page),
      Home: ctrlKey ? 0 : from,
      End: ctrlKey ? all - 1 : to - 1,
    }[key];
    if (next === undefined || (ctrlKey && key !== "Home" && key !== "End")) return;
    event.preventDefault();
    chosen.value = Math.min(all - 1, Math.max(0, next));
  }

  const shownRows = new Map<number, Token[]>();
  for (const token of tokens.value) {
    const at = rowAt(rows.value, token.index);
    if (at < first || at >= last) continue;
    shownRows.set(at, [...(shownRows.get(at) ?? []), token]);
  }
  const place = (at: number) => `translateY(${PADDING + at * height - top + scrolled}px)`;
  const isChosenShown = tokens.value.some(({ index }) => index === chosen.value);
  return (
    <div
      id="tokens-list"
      class={hasIds.value ? "with-ids" : ""}
      style={{ "--id-scale": ID_SCALE }}
      ref={box}
      role="grid"
      aria-label="Tokens"
      aria-rowcount={rows.value.length}
      aria-activedescendant={isChosenShown ? `token-${chosen.value}` : undefined}
      tabIndex={0}
      onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop)}
      onKeyDown={move}
    >
      <span class="ruler" ref={ruler} aria-hidden="true">
        0000000000
      </span>
      <div role="rowgroup" style={{ height: `${pixels}px` }}>
        {heads.value.map(({ row: at, label, note }) => (
          <div
            key={`h${at}`}
            role="row"
            aria-rowindex={at + 1}
            class={note === undefined ? "token-row head part" : "token-row head"}
            style={{ transform: place(at), height: `${height}px` }}
          >
            <span role="rowheader">
              {label}
              {note && <small> {note}</small>}
            </span>
          </div>
        ))}
        {[...shownRows].map(([at, own]) => (
          <div
            key={at}
            role="row"
            aria-rowindex={at + 1}
            class="token-row"
            style={{ transform: place(at), height: `${height}px` }}
          >
            {own.map((token) => (
              <Cell key={token.index} token={token} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function Cell({ token: { index, id, text, isGone = false } }: { token: Token }) {
  const isOver = counted.value?.request ? isGone : index >= budget.value;
  return (
    <span
      role="gridcell"
      id={`token-${index}`}
      aria-selected={index === chosen.value}
      class={`token c${index % 5}${isOver ? " over" : ""}${text === "" ? " part" : ""}`}
      title={`${number(id)}`}
      onClick={() => (chosen.value = index)}
    >
      <span>{glyphs(text, hasSpaces.value)}</span>
      {hasIds.value && <small>{id}</small>}
    </span>
  );
}

/** Returns a token as it is drawn: in one line, and with a sign for what has no picture of its own. */
export function glyphs(text: string, hasSpaces: boolean): string {
  if (text === "") return "◌";
  const visible = text.replace(/\r?\n|\r/g, "⏎").replaceAll("\t", "⇥");
  return hasSpaces ? visible.replaceAll(" ", "·") : visible;
}
