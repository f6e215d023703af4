/** Inline completions of VS Code: its documents, tabs and cursors feed a session, which makes the prompts. */

import { badInput } from "../../errors/errors.ts";
import { signalFrom } from "../../engine/cancellation.ts";
import type { CancellationTokenLike } from "../../engine/cancellation.ts";
import { check } from "../../options/check.ts";
import { INLINE_VSCODE } from "../../options/schemas/inline-context.ts";
import type { InlineContext } from "../session.ts";
import { completionsAt } from "./shared.ts";
import type { DisposableLike, InlineComplete } from "./shared.ts";

interface UriLike {
  readonly scheme: string;
  readonly path: string;
  toString(): string;
}

interface PositionLike {
  readonly line: number;
  readonly character: number;
}

/** The used part of a `TextDocument`. */
export interface VSCodeDocumentLike {
  readonly uri: UriLike;
  readonly languageId: string;
  readonly version: number;
  getText(): string;
  offsetAt(position: any): number;
}

interface EditorLike {
  readonly document: VSCodeDocumentLike;
  readonly selections: readonly { readonly isEmpty: boolean; readonly active: PositionLike }[];
}

type Event<T> = (listener: (event: T) => unknown) => DisposableLike;

/** The used part of VS Code's module. */
export interface VSCodeInlineModule {
  readonly workspace: {
    readonly textDocuments: readonly VSCodeDocumentLike[];
    asRelativePath(uri: any, includeWorkspaceFolder?: boolean): string;
    onDidOpenTextDocument: Event<any>;
    onDidChangeTextDocument: Event<any>;
    onDidCloseTextDocument: Event<any>;
  };
  readonly window: {
    readonly activeTextEditor: EditorLike | undefined;
    readonly visibleTextEditors: readonly EditorLike[];
    readonly tabGroups?: { onDidChangeTabs: Event<any> };
    onDidChangeActiveTextEditor: Event<any>;
    onDidChangeTextEditorSelection: Event<any>;
  };
  readonly Range: new (start: any, end: any) => any;
  readonly InlineCompletionItem: new (insertText: string, range?: any) => any;
}

export interface VSCodeInlineOptions {
  /** Returns true for documents to follow. Default: all but consoles, logs and other texts that users do not edit. */
  accepts?: ((document: VSCodeDocumentLike) => boolean) | undefined;
  /** Called with errors of `complete`; without it, the error goes to the editor. Aborts are not errors. */
  onError?: ((error: unknown) => void) | undefined;
}

/** An `InlineCompletionItemProvider` that also ends its subscriptions. */
export interface VSCodeInlineProvider extends DisposableLike {
  provideInlineCompletionItems(
    document: any,
    position: any,
    context: unknown,
    token: CancellationTokenLike,
  ): Promise<any[]>;
}

/** Schemes of texts that users do not edit. */
const NOT_EDITED = new Set([
  "output",
  "debug",
  "git",
  "gitfs",
  "vscode",
  "vscode-scm",
  "vscode-terminal",
  "walkThrough",
  "comment",
  "search-editor",
]);
/** Values of `TextEditorSelectionChangeKind`. */
const MOVED_BY = ["keyboard", "keyboard", "mouse", "command"] as const;

/**
 * Makes an inline completion provider: it follows the open documents of every scheme, including remote and virtual
 * workspaces, and calls `complete` with a prompt of the session. A completion that the user is typing continues without
 * another request.
 *
 * ```ts
 * import * as vscode from "vscode";
 * import { InlineContext, vscodeInlineContext } from "espalier/inline-context";
 *
 * const session = new InlineContext({ budget: 4_000 });
 * const provider = vscodeInlineContext(vscode, session, async ({ context, prefix, restOfLine, suffix }, { signal }) => {
 *   const body = JSON.stringify({ input_prefix: context + prefix, input_suffix: `${restOfLine}\n${suffix}` });
 *   const response = await fetch("http://127.0.0.1:8012/infill", { method: "POST", body, signal });
 *   return ((await response.json()) as { content: string }).content;
 * });
 * const registration = vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, provider);
 * session.state().files; // => 0
 *
 * registration.dispose();
 * provider.dispose();
 * ```
 *
 * @throws EspalierError `bad_input`, `bad_option`
 */
export function vscodeInlineContext(
  vscode: VSCodeInlineModule,
  session: InlineContext,
  complete: InlineComplete,
  options: VSCodeInlineOptions = {},
): VSCodeInlineProvider {
  check(options, INLINE_VSCODE);
  if (typeof vscode?.workspace?.onDidOpenTextDocument !== "function")
    throw badInput("vscode", "the module of VS Code", vscode);
  if (typeof complete !== "function") throw badInput("complete", "a function", complete);
  const { accepts = ({ uri }) => !NOT_EDITED.has(uri.scheme), onError } = options;
  const { workspace, window } = vscode;
  const paths = new Map<string, string>();
  const numbered = new Map<string, string>();

  /** Returns the name of a document. Cells of a notebook, and a file and its older revision, have the same path. */
  const nameOf = (key: string, path: string): string => {
    const taken = new Set([...paths.values(), ...numbered.values()]);
    if (!taken.has(path)) return path;
    let number = 2;
    while (taken.has(`${path}#${number}`)) number += 1;
    // A document keeps its number, so that its recent edits stay its own.
    numbered.set(key, `${path}#${number}`);
    return `${path}#${number}`;
  };
  const open = (document: VSCodeDocumentLike): string | undefined => {
    const key = document.uri.toString();
    const known = paths.get(key);
    if (known !== undefined) return known;
    if (!accepts(document)) return undefined;
    const path = numbered.get(key) ?? nameOf(key, workspace.asRelativePath(document.uri));
    paths.set(key, path);
    session.open({ path, text: document.getText(), language: document.languageId, scheme: document.uri.scheme });
    return path;
  };
  const close = (document: VSCodeDocumentLike) => {
    const key = document.uri.toString();
    const path = paths.get(key);
    paths.delete(key);
    if (path !== undefined) session.close(path);
  };
  const focus = (editor: EditorLike | undefined) => {
    const path = editor && open(editor.document);
    if (path !== undefined) session.focus(path);
  };
  const changed = ({
    document,
    contentChanges,
  }: {
    document: VSCodeDocumentLike;
    contentChanges?: readonly unknown[];
  }) => {
    const path = open(document);
    // An event without changes only reports the dirty mark.
    if (path !== undefined && contentChanges?.length !== 0)
      session.change(path, document.getText(), { version: document.version });
  };
  const moved = ({
    textEditor,
    selections,
    kind = 0,
  }: {
    textEditor: EditorLike;
    selections: EditorLike["selections"];
    kind?: number;
  }) => {
    const path = open(textEditor.document);
    const [first] = selections;
    if (path === undefined || !first) return;
    session.moveCursor({
      path,
      cursor: textEditor.document.offsetAt(first.active),
      by: MOVED_BY[kind] ?? "keyboard",
      isActiveEditor: textEditor === window.activeTextEditor,
      isOneCursor: selections.length === 1 && first.isEmpty,
    });
  };
  const tabs = ({ closed }: { closed: readonly { input?: unknown }[] }) => {
    for (const tab of closed) {
      const uri = (tab.input as { uri?: UriLike } | undefined)?.uri;
      const path = uri && paths.get(uri.toString());
      if (path !== undefined) session.hide(path);
    }
  };

  workspace.textDocuments.forEach(open);
  window.visibleTextEditors.forEach(focus);
  focus(window.activeTextEditor);
  const subscriptions = [
    workspace.onDidOpenTextDocument(open),
    workspace.onDidChangeTextDocument(changed),
    workspace.onDidCloseTextDocument(close),
    window.onDidChangeActiveTextEditor(focus),
    window.onDidChangeTextEditorSelection(moved),
    ...(window.tabGroups ? [window.tabGroups.onDidChangeTabs(tabs)] : []),
  ];

  let isDisposed = false;
  return {
    async provideInlineCompletionItems(document: VSCodeDocumentLike, position: PositionLike, _context, token) {
      if (isDisposed) return [];
      const path = open(document);
      if (path === undefined) return [];
      // The editor may ask for completions before it sends the change event.
      const text = document.getText();
      if (session.file(path)?.text !== text) session.change(path, text, { version: document.version });
      const signal = signalFrom(token);
      try {
        const place = { path, language: document.languageId, cursor: document.offsetAt(position) };
        const texts = await completionsAt(session, place, complete, signal);
        return texts.map((one) => new vscode.InlineCompletionItem(one, new vscode.Range(position, position)));
      } catch (error) {
        if (signal.aborted) return [];
        if (!onError) throw error;
        onError(error);
        return [];
      }
    },
    dispose() {
      isDisposed = true;
      subscriptions.forEach((one) => one.dispose());
      for (const path of paths.values()) session.close(path);
      paths.clear();
    },
  };
}
