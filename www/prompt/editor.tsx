/** @jsxImportSource preact */
/**
 * A text field for code: line numbers, a marked line, indentation. It is the browser's own field, so that undo,
 * spelling tools, touch keyboards and screen readers work as everywhere; CodeMirror would be 69 kB for colours.
 */

import { useLayoutEffect, useRef } from "preact/hooks";

export interface EditorProps {
  code: string;
  onCode(code: string): void;
  /** The line of the error, from 1. */
  badLine: number | undefined;
  /** Id of the element with the error. */
  describedBy: string;
}

const INDENT = "  ";

export function Editor({ code, onCode, badLine, describedBy }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  /** After Escape, Tab leaves the field. */
  const leaves = useRef(false);
  const lines = code.split("\n").length;
  const follow = () => {
    if (gutter.current) gutter.current.style.transform = `translateY(${-field.current!.scrollTop}px)`;
  };
  useLayoutEffect(follow);

  /** Goes through the browser's undo, as typing does. */
  function insert(text: string): void {
    field.current!.focus();
    document.execCommand("insertText", false, text);
  }

  function keys(event: KeyboardEvent): void {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const { selectionStart, selectionEnd, value } = field.current!;
    if (key === "Escape") leaves.current = true;
    else if (key === "Tab" && !leaves.current && !ctrlKey && !metaKey && !altKey) {
      event.preventDefault();
      const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
      if (!shiftKey) insert(INDENT);
      else if (value.startsWith(INDENT, start)) {
        field.current!.setSelectionRange(start, start + INDENT.length);
        document.execCommand("delete");
        const back = Math.max(start, selectionStart - INDENT.length);
        field.current!.setSelectionRange(back, Math.max(back, selectionEnd - INDENT.length));
      }
    } else if (key === "Enter" && !ctrlKey && !metaKey && !altKey && selectionStart === selectionEnd) {
      const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
      const indent = /^ */.exec(value.slice(start, selectionStart))![0];
      const opens =
        /[{([>]$/.test(value.slice(start, selectionStart).trimEnd()) &&
        !/\/>$|<\/\w*>$/.test(value.slice(start, selectionStart).trimEnd());
      event.preventDefault();
      insert(`\n${indent}${opens ? INDENT : ""}`);
    } else if (key !== "Shift") leaves.current = false;
  }

  return (
    <div class="editor">
      <div class="gutter" aria-hidden="true">
        <div ref={gutter}>
          {Array.from({ length: lines }, (_, at) => (
            <span key={at} class={badLine === at + 1 ? "bad" : ""}>
              {at + 1}
            </span>
          ))}
        </div>
      </div>
      <textarea
        id="code"
        ref={field}
        value={code}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-label="Code of the prompt (Escape, then Tab, leaves the field)"
        aria-invalid={badLine !== undefined}
        aria-describedby={describedBy}
        onInput={({ currentTarget }) => onCode(currentTarget.value)}
        onKeyDown={keys}
        onScroll={follow}
        onBlur={() => (leaves.current = false)}
      />
    </div>
  );
}

/** Puts the cursor on a line of the code, and selects it. */
export function goToLine(line: number): void {
  const field = document.getElementById("code") as HTMLTextAreaElement | null;
  if (!field) return;
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const height = field.scrollHeight / lines.length;
  field.scrollTop = Math.max(0, (line - 4) * height);
}
