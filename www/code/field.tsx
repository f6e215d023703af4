/** @jsxImportSource preact */
/**
 * A text area for source code with line numbers, in which ranges are shaded and one place can be pointed at. Its lines
 * never wrap; line numbers and bands exist for the visible lines only.
 */

import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Ref } from "preact";
import { Lines } from "./lines.ts";
import type { Range } from "./lines.ts";

export interface FieldHandle {
  /** The selection as a range of the text, whatever its line ends. */
  readonly selection: Range;
  /** Moves the cursor there and scrolls to it. */
  select(range: Range): void;
  focus(): void;
}

interface Props {
  handle: Ref<FieldHandle>;
  /** The text. Another one replaces what is in the field, unless it was typed there. */
  text: string;
  /** Shaded ranges, in order. */
  shaded: readonly Range[];
  /** The place that is pointed at, and scrolled to when it changes. */
  pointed: Range | undefined;
  onText(text: string): void;
  /** Called when the reader moves the cursor. */
  onSelect(range: Range): void;
  /** Called for pasted text that replaces everything; returns true if it was taken. */
  onPasteAll?(text: string): boolean;
}

/** Pixels of a line and of the padding above the first, as in `code.css`. */
const ROW = 20;
const PADDING = 6;
/** Lines above a place that is scrolled to, as a share of the field's height. */
const ABOVE = 1 / 3;

export function CodeField({ handle, text, shaded, pointed, onText, onSelect, onPasteAll }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = useMemo(() => new Lines(text), [text]);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState({ width: 0, height: 400 });
  /** The text that is in the field: what is typed there need not be written into it. */
  const inField = useRef<string>(undefined);
  /** The last reported selection. */
  const selected = useRef("");

  const selection = (): Range => [
    lines.outward(area.current!.selectionStart),
    lines.outward(area.current!.selectionEnd),
  ];
  const reveal = (offset: number) => {
    const field = area.current!;
    const place = lines.lineAt(offset) * ROW;
    if (place < field.scrollTop || place + 3 * ROW > field.scrollTop + field.clientHeight)
      field.scrollTop = place - field.clientHeight * ABOVE;
  };
  useImperativeHandle(handle, () => ({
    get selection() {
      return selection();
    },
    select([start, end]) {
      area.current!.setSelectionRange(lines.inward(start), lines.inward(end));
      selected.current = selection().join("-");
      reveal(start);
    },
    focus: () => area.current!.focus(),
  }));

  useLayoutEffect(() => {
    if (inField.current === text) return;
    inField.current = text;
    const field = area.current!;
    field.value = text;
    field.setSelectionRange(0, 0);
    field.scrollTo(0, 0);
    selected.current = "0-0";
  }, [text]);
  useLayoutEffect(() => {
    if (pointed) reveal(pointed[0]);
  }, [pointed]);
  useEffect(() => {
    const field = area.current!;
    const measure = () => setSize({ width: field.clientWidth, height: field.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(field);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const hear = () => {
      if (document.activeElement !== area.current) return;
      const range = selection();
      if (range.join("-") === selected.current) return;
      selected.current = range.join("-");
      onSelect(range);
    };
    document.addEventListener("selectionchange", hear);
    return () => document.removeEventListener("selectionchange", hear);
  });

  const first = Math.max(0, Math.floor((top - PADDING) / ROW));
  const last = Math.min(lines.count - 1, Math.ceil((top + size.height) / ROW));
  const place = (line: number) => PADDING + line * ROW - top;
  const gutter = `${String(lines.count).length + 2}ch`;
  const band = ([start, end]: Range, name: string) => {
    const from = Math.max(lines.lineAt(start), first - 1);
    const to = Math.min(lines.lineAt(Math.max(start, end - 1)), last + 1);
    if (from > to) return null;
    return (
      <i
        key={`${name}${start}`}
        class={name}
        style={{ top: `${place(from)}px`, height: `${(to - from + 1) * ROW}px` }}
      />
    );
  };
  return (
    <div class="code-box" style={{ "--gutter": gutter }}>
      <textarea
        id="source"
        class="code"
        ref={area}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-label="Source code"
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        onInput={({ currentTarget }) => {
          inField.current = currentTarget.value;
          onText(currentTarget.value);
        }}
        onPaste={(event) => {
          const { selectionStart, selectionEnd, value } = event.currentTarget;
          if (selectionStart > 0 || selectionEnd < value.length) return;
          if (onPasteAll?.(event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
        }}
      />
      <div class="shades" aria-hidden="true" style={{ width: `${size.width}px`, height: `${size.height}px` }}>
        {shaded.map((range) => band(range, "shade"))}
        {pointed && band(pointed, "pointer")}
      </div>
      <div class="numbers" aria-hidden="true" style={{ height: `${size.height}px` }}>
        <pre style={{ top: `${place(first)}px` }}>
          {Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at + 1).join("\n")}
        </pre>
      </div>
    </div>
  );
}
