/** @jsxImportSource preact */
/** The list of messages: only visible rows are in the document. One tab stop; arrows choose. */

import { batch, signal, useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { FATES, ROLES } from "../worker/questions.ts";
import type { Ran } from "../worker/questions.ts";
import { fateWord } from "./fate-words.ts";
import { isGone, placeOf, stretch } from "./items.ts";
import type { Item } from "./items.ts";
import { arrived, peek } from "./peeks.ts";
import { chosen, edited, isPaneOpen, items, ran, toggleFold } from "./state.ts";
import { count, number } from "./words.ts";

/** Pixels of a row; on narrow screens the text has a line of its own. */
const HEIGHT = { wide: 30, narrow: 52 };
/** Rows above and below the visible ones. */
const SPARE = 4;
const NARROW = "(max-width: 40rem)";

/** The visible part of the list, in rows of the run; the overview shows it. */
export const visible = signal({ first: 0, last: 0 });
/** The active item: a folded stretch can be active, but has no message to show. */
const active = signal(0);
const scrolled = signal({ top: 0, height: 600 });
const isNarrow = signal(false);

let box: HTMLDivElement | null = null;

const rowHeight = () => (isNarrow.value ? HEIGHT.narrow : HEIGHT.wide);

export function List() {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = (box = element.current!);
    const media = matchMedia(NARROW);
    const measure = () => {
      isNarrow.value = media.matches;
      scrolled.value = { top: list.scrollTop, height: list.clientHeight };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    list.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      list.removeEventListener("scroll", measure);
    };
  }, []);
  const range = useComputed(() => {
    const { top, height } = scrolled.value;
    const size = rowHeight();
    const first = Math.max(0, Math.floor(top / size) - SPARE);
    const last = Math.min(items.value.length, Math.ceil((top + height) / size) + SPARE);
    return { first, last };
  });
  useSignalEffect(() => {
    const { first, last } = range.value;
    const all = items.value;
    if (all.length === 0) return;
    const end = all[Math.max(0, Math.min(all.length, last - SPARE) - 1)]!;
    visible.value = { first: all[Math.min(first + SPARE, all.length - 1)]!.row, last: end.row + end.size - 1 };
  });
  // The chosen message stays the active one when rows fold or unfold around it.
  useSignalEffect(() => {
    const all = items.value;
    const place = chosen.value >= 0 ? placeOf(all, chosen.value) : -1;
    if (place >= 0) active.value = place;
    else if (active.peek() >= all.length) active.value = Math.max(0, all.length - 1);
  });
  const run = ran.value;
  const { first, last } = range.value;
  const all = items.value;
  return (
    <div
      id="messages"
      ref={element}
      role="listbox"
      tabIndex={0}
      aria-label={`Messages: ${count(all.length, "row")}`}
      aria-activedescendant={run && all[active.value] ? `row-${active.value}` : undefined}
      onKeyDown={press}
    >
      <div class="rows" role="presentation" style={{ height: `${all.length * rowHeight()}px` }}>
        {run &&
          all
            .slice(first, last)
            .map((item, at) => (
              <Row
                key={`${item.row}${item.open === undefined ? "" : "f"}`}
                item={item}
                at={first + at}
                run={run}
                of={all.length}
              />
            ))}
      </div>
      {all.length === 0 && <p class="waiting">No message matches.</p>}
    </div>
  );
}

interface RowProps {
  item: Item;
  at: number;
  of: number;
  run: Ran;
}

function Row({ item, at, of, run }: RowProps) {
  const { row, size, open } = item;
  const { rows } = run;
  void arrived.value;
  const isFold = open !== undefined;
  const shared = {
    id: `row-${at}`,
    role: "option" as const,
    "aria-selected": active.value === at,
    "aria-posinset": at + 1,
    "aria-setsize": of,
    style: { transform: `translateY(${at * rowHeight()}px)` },
    onClick: () => {
      choose(at, true);
      if (isFold) toggleFold(row);
    },
  };
  if (isFold) {
    const { before, after } = stretch(rows, item);
    return (
      <div {...shared} class="row fold" data-open={open}>
        <span class="fate">
          {open ? "▾" : "▸"} {number(size)} {foldWord(rows, item)}
        </span>
        <span class="count">
          {number(before)} → {number(after)}
        </span>
        <span class="peek">{stretchName(rows.index[row]!, size)}</span>
      </div>
    );
  }
  const index = rows.index[row]!;
  const fate = rows.fates[row]!;
  const [before, after] = [rows.before[row]!, rows.after[row]!];
  const isPinned = index >= 0 && (edited.value?.pins.includes(index) ?? false);
  return (
    <div {...shared} class={`row ${FATES[fate]} ${isGone(fate) ? "out" : ""}`}>
      <span class="index">{index >= 0 ? index + 1 : "+"}</span>
      <span class="fate">
        {isPinned ? "📌 " : ""}
        {fateWord(fate, before, after)}
      </span>
      <span class="role">{ROLES[rows.roles[row]!]}</span>
      <span class="count">
        {before === after || after === 0 || before === 0
          ? number(before || after)
          : `${number(before)} → ${number(after)}`}
      </span>
      <span class="peek">{peek(run.run, row, index) ?? "…"}</span>
    </div>
  );
}

/** A stretch is named by the fate that says most. */
function foldWord({ fates }: Ran["rows"], { row, size }: Item): string {
  const all = fates.subarray(row, row + size);
  if (all.includes(FATES.indexOf("covered"))) return "covered";
  return all.includes(FATES.indexOf("hidden")) ? "hidden" : "gone";
}

const stretchName = (first: number, size: number) => `messages ${first + 1} to ${first + size}`;

function choose(at: number, opensPane = false): void {
  const item = items.value[at];
  if (!item) return;
  batch(() => {
    active.value = at;
    chosen.value = item.open === undefined ? item.row : -1;
    if (opensPane && item.open === undefined) isPaneOpen.value = true;
  });
}

/** Scrolls the list so that an item is seen. */
function reveal(at: number, toMiddle = false): void {
  if (!box) return;
  const size = rowHeight();
  const [top, bottom] = [at * size, (at + 1) * size];
  const { scrollTop, clientHeight } = box;
  if (toMiddle && (top < scrollTop || bottom > scrollTop + clientHeight)) box.scrollTop = top - clientHeight / 2;
  else if (top < scrollTop) box.scrollTop = top;
  else if (bottom > scrollTop + clientHeight) box.scrollTop = bottom - clientHeight;
}

function press(event: KeyboardEvent): void {
  const all = items.value;
  const at = active.value;
  const item = all[at];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(scrolled.value.height / rowHeight()) - 1);
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: all.length - 1,
  }[event.key];
  if (to !== undefined) {
    const target = Math.max(0, Math.min(all.length - 1, to));
    choose(target);
    reveal(target);
  } else if (event.key === "Enter" || event.key === " ") {
    if (item?.open !== undefined) toggleFold(item.row);
    else if (item) choose(at, true);
  } else if (event.key === "ArrowRight" && item?.open === false) toggleFold(item.row);
  else if (event.key === "ArrowLeft" && item) foldAround(at);
  else return;
  event.preventDefault();
}

/** Folds the open stretch that an item belongs to, and makes it the active item. */
function foldAround(at: number): void {
  const all = items.value;
  for (let head = at; head >= 0; head--) {
    const { open, row, size } = all[head]!;
    if (open === undefined) continue;
    if (!open || (head !== at && at > head + size)) return;
    batch(() => {
      chosen.value = -1;
      active.value = head;
      toggleFold(row);
    });
    reveal(head);
    return;
  }
}

/** Chooses a row of the run, unfolds the stretch that hides it, and shows it. */
export function goTo(row: number, focus = true): void {
  let at = placeOf(items.value, row);
  if (at < 0) return;
  const item = items.value[at]!;
  if (item.open === false) {
    toggleFold(item.row);
    at += 1 + (row - item.row);
  }
  choose(at);
  reveal(at, true);
  if (focus) box?.focus({ preventScroll: true });
}

/** Scrolls to a row without choosing it. */
export function scrollToRow(row: number): void {
  const at = placeOf(items.value, row);
  if (box && at >= 0) box.scrollTop = at * rowHeight() - box.clientHeight / 2;
}

export const focusList = () => box?.focus({ preventScroll: true });
