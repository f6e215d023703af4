/** @jsxImportSource preact */
/** Texts that are read: errors, and long texts that scroll. */

import type { ComponentChildren } from "preact";
import type { Said } from "./types.ts";

/** An error in a person's words, with the provider's own behind it. */
export function SaidText({ said: { what, hint, detail } }: { said: Said }) {
  return (
    <div class="said">
      <p>
        {what} {hint}
      </p>
      {detail && (
        <details>
          <summary>What it answered</summary>
          <p>{detail}</p>
        </details>
      )}
    </div>
  );
}

/** A long text. */
export function Reading({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard only with a tab stop.
    <pre tabIndex={0}>{children}</pre>
  );
}
