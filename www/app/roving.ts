/** Makes the buttons of a list one tab stop: arrows, Home and End move the focus. */

import { useRef, useState } from "preact/hooks";

export interface Roving {
  tabIndex(index: number): 0 | -1;
  list: {
    ref(element: HTMLElement | null): void;
    onKeyDown(event: KeyboardEvent): void;
    onFocusIn(event: FocusEvent): void;
  };
  focus(index: number): void;
}

/** `leave` is called when the reader moves up from the first row. Rows are `li` elements that begin with a button. */
export function useRoving(count: number, leave: () => void = () => {}): Roving {
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLElement>(null);
  const buttons = () => [...(list.current?.querySelectorAll<HTMLButtonElement>(":scope > li > button") ?? [])];
  const stop = Math.min(current, count - 1);
  const focus = (index: number) => {
    const all = buttons();
    const button = all[Math.min(index, all.length - 1)];
    button?.focus();
    button?.scrollIntoView({ block: "nearest" });
  };
  return {
    focus,
    tabIndex: (index) => (index === stop ? 0 : -1),
    list: {
      ref: (element) => (list.current = element),
      onKeyDown(event) {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const next = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: count - 1 }[event.key];
        if (next === undefined || (event.target as HTMLElement).tagName !== "BUTTON") return;
        event.preventDefault();
        if (next < 0) leave();
        else focus(Math.min(next, count - 1));
      },
      onFocusIn({ target }) {
        const index = buttons().indexOf((target as HTMLElement).closest("button")!);
        if (index >= 0) setCurrent(index);
      },
    },
  };
}
