/**
 * Inline completions of CodeMirror 6, which has no interface for them: a listener that feeds a session, and a call that
 * completes.
 */

import { badInput } from "../../errors/errors.ts";
import { check } from "../../options/check.ts";
import { INLINE_CODEMIRROR } from "../../options/schemas/inline-context.ts";
import type { InlineContext } from "../session.ts";
import { completionsAt } from "./shared.ts";
import type { DisposableLike, InlineComplete } from "./shared.ts";

/** The used part of an `EditorState`. */
export interface CodeMirrorStateLike {
  readonly doc: { toString(): string };
  readonly selection: {
    readonly main: { readonly head: number; readonly empty: boolean };
    readonly ranges: readonly unknown[];
  };
}

/** The used part of a `ViewUpdate`. */
export interface CodeMirrorUpdateLike {
  readonly state: CodeMirrorStateLike;
  readonly docChanged: boolean;
  readonly selectionSet: boolean;
  readonly focusChanged?: boolean;
  readonly view?: { readonly hasFocus: boolean };
  readonly transactions: readonly { isUserEvent(event: string): boolean }[];
}

export interface CodeMirrorInlineOptions {
  /** Names the document in prompts. */
  path: string;
  /** Its language by the editor's name: `typescript`. Default: unknown. */
  language?: string | undefined;
}

/** A text to insert at an offset. */
export interface CodeMirrorCompletion {
  from: number;
  insert: string;
}

/** The connection of an editor with a session. */
export interface CodeMirrorInline extends DisposableLike {
  /** Pass it to `EditorView.updateListener.of`. */
  update(update: CodeMirrorUpdateLike): void;
  /** Returns completions at the cursor; none if there is a selection, or if the document has changed meanwhile. */
  complete(state: CodeMirrorStateLike, options?: { signal?: AbortSignal }): Promise<CodeMirrorCompletion[]>;
}

/**
 * Connects an editor of CodeMirror with a session. The page shows completions and accepts them: a widget, a key.
 *
 * ```ts
 * import { EditorState } from "@codemirror/state";
 * import { codeMirrorInlineContext, InlineContext } from "espalier/inline-context";
 *
 * const session = new InlineContext({ budget: 4_000 });
 * let state = EditorState.create({ doc: "const rate = ", selection: { anchor: 13 } });
 * const inline = codeMirrorInlineContext(state, session, ({ prefix }) => (prefix.endsWith("= ") ? "3;" : undefined), { path: "rate.ts" });
 * const [found] = await inline.complete(state);
 * state = state.update({ changes: found! }).state;
 * state.doc.toString(); // => "const rate = 3;"
 * inline.dispose();
 * ```
 *
 * @throws EspalierError `bad_input`, `bad_option`
 */
export function codeMirrorInlineContext(
  state: CodeMirrorStateLike,
  session: InlineContext,
  complete: InlineComplete,
  options: CodeMirrorInlineOptions,
): CodeMirrorInline {
  const { path, language = "" } = check(options, INLINE_CODEMIRROR, "options", badInput);
  if (typeof state?.doc?.toString !== "function" || !state.selection)
    throw badInput("state", "a state of CodeMirror", state);
  if (typeof complete !== "function") throw badInput("complete", "a function", complete);
  session.open({ path, text: textOf(state), language });
  session.focus(path);
  let isDisposed = false;
  return {
    update(update) {
      if (isDisposed) return;
      if (update.docChanged) session.change(path, textOf(update.state));
      if (update.focusChanged && update.view?.hasFocus) session.focus(path);
      if (!update.selectionSet) return;
      const { main, ranges } = update.state.selection;
      const by = update.transactions.some((one) => one.isUserEvent("select.pointer")) ? "mouse" : "keyboard";
      session.moveCursor({
        path,
        cursor: main.head,
        by,
        isActiveEditor: update.view?.hasFocus ?? true,
        isOneCursor: ranges.length === 1 && main.empty,
      });
    },
    async complete(asked, { signal = new AbortController().signal } = {}) {
      const { main, ranges } = asked.selection;
      if (isDisposed || ranges.length > 1 || !main.empty) return [];
      const text = textOf(asked);
      if (session.file(path)?.text !== text) session.change(path, text);
      const texts = await completionsAt(session, { path, language, cursor: main.head }, complete, signal);
      return session.file(path)?.text === text ? texts.map((insert) => ({ from: main.head, insert })) : [];
    },
    dispose() {
      isDisposed = true;
      session.close(path);
    },
  };
}

/** CodeMirror counts every line end as one, whatever it is in the file. */
function textOf(state: CodeMirrorStateLike): string {
  return state.doc.toString();
}
