/** Inline completions of Monaco: its models and editors feed a session, which makes the prompts. */

import { badInput } from "../../errors/errors.ts";
import { signalFrom } from "../../engine/cancellation.ts";
import type { CancellationTokenLike } from "../../engine/cancellation.ts";
import { check } from "../../options/check.ts";
import { INLINE_MONACO } from "../../options/schemas/inline-context.ts";
import type { InlineContext } from "../session.ts";
import { completionsAt } from "./shared.ts";
import type { DisposableLike, InlineComplete } from "./shared.ts";

interface PositionLike {
  readonly lineNumber: number;
  readonly column: number;
}

/** The used part of an `ITextModel`. */
export interface MonacoModelLike {
  readonly uri: { readonly scheme: string; readonly path: string; toString(): string };
  getValue(): string;
  getLanguageId(): string;
  getVersionId(): number;
  getOffsetAt(position: any): number;
  onDidChangeContent(listener: (event: any) => unknown): DisposableLike;
}

/** The used part of an `ICodeEditor`. */
export interface MonacoEditorLike {
  getModel(): any;
  hasTextFocus(): boolean;
  getSelections(): readonly { isEmpty(): boolean }[] | null;
  onDidFocusEditorText(listener: () => unknown): DisposableLike;
  onDidChangeCursorPosition(listener: (event: any) => unknown): DisposableLike;
  onDidDispose(listener: () => unknown): DisposableLike;
}

/** The used part of Monaco's module. */
export interface MonacoInlineModule {
  readonly editor: {
    getModels(): readonly any[];
    getEditors(): readonly any[];
    onDidCreateModel(listener: (model: any) => unknown): DisposableLike;
    onWillDisposeModel(listener: (model: any) => unknown): DisposableLike;
    onDidCreateEditor(listener: (editor: any) => unknown): DisposableLike;
  };
  readonly languages: {
    registerInlineCompletionsProvider(selector: any, provider: any): DisposableLike;
  };
}

export interface MonacoInlineOptions {
  /** The languages of the provider, as a Monaco selector. Default `{ pattern: "**" }`. */
  selector?: unknown;
  /** Names a model in prompts. Default: the path of its address without the first `/`. */
  pathOf?: ((model: MonacoModelLike) => string) | undefined;
  /** Called with errors of `complete`; without it, the error goes to the editor. Aborts are not errors. */
  onError?: ((error: unknown) => void) | undefined;
}

/** Reasons of cursor moves, `CursorChangeReason.Explicit`. */
const EXPLICIT = 3;

/**
 * Registers inline completions in Monaco: all models feed the session, and `complete` is called with its prompts.
 * `dispose` of the returned object ends that. docs/inline-context.md has an example.
 *
 * @throws EspalierError `bad_input`, `bad_option`
 */
export function monacoInlineContext(
  monaco: MonacoInlineModule,
  session: InlineContext,
  complete: InlineComplete,
  options: MonacoInlineOptions = {},
): DisposableLike {
  check(options, INLINE_MONACO);
  if (typeof monaco?.languages?.registerInlineCompletionsProvider !== "function")
    throw badInput("monaco", "the module of Monaco", monaco);
  if (typeof complete !== "function") throw badInput("complete", "a function", complete);
  const {
    selector = { pattern: "**" },
    pathOf = ({ uri }) => uri.path.replace(/^\//, "") || uri.toString(),
    onError,
  } = options;
  const models = new Map<MonacoModelLike, { path: string; subscription: DisposableLike }>();
  const editors = new Map<MonacoEditorLike, readonly DisposableLike[]>();

  const open = (model: MonacoModelLike): string => {
    const known = models.get(model);
    if (known) return known.path;
    const name = pathOf(model);
    const isTaken = [...models.values()].some(({ path }) => path === name);
    const path = isTaken ? model.uri.toString() : name;
    const changed = () => session.change(path, model.getValue(), { version: model.getVersionId() });
    models.set(model, { path, subscription: model.onDidChangeContent(changed) });
    session.open({ path, text: model.getValue(), language: model.getLanguageId(), scheme: model.uri.scheme });
    return path;
  };
  const close = (model: MonacoModelLike) => {
    const known = models.get(model);
    if (!known) return;
    models.delete(model);
    known.subscription.dispose();
    session.close(known.path);
  };
  const follow = (editor: MonacoEditorLike) => {
    const modelOf = () => editor.getModel() as MonacoModelLike | null;
    const focused = () => {
      const model = modelOf();
      if (model) session.focus(open(model));
    };
    const moved = ({ position, reason, source }: { position: PositionLike; reason: number; source: string }) => {
      const model = modelOf();
      if (!model) return;
      const selections = editor.getSelections() ?? [];
      const by = source === "mouse" ? "mouse" : reason === EXPLICIT && source !== "keyboard" ? "command" : "keyboard";
      const isOneCursor = selections.length === 1 && selections[0]!.isEmpty();
      session.moveCursor({
        path: open(model),
        cursor: model.getOffsetAt(position),
        by,
        isActiveEditor: editor.hasTextFocus(),
        isOneCursor,
      });
    };
    editors.set(editor, [
      editor.onDidFocusEditorText(focused),
      editor.onDidChangeCursorPosition(moved),
      editor.onDidDispose(() => leave(editor)),
    ]);
    if (editor.hasTextFocus()) focused();
  };
  const leave = (editor: MonacoEditorLike) => {
    editors.get(editor)?.forEach((one) => one.dispose());
    editors.delete(editor);
  };

  monaco.editor.getModels().forEach(open);
  monaco.editor.getEditors().forEach(follow);
  const nothing = () => undefined;
  const subscriptions = [
    monaco.editor.onDidCreateModel(open),
    monaco.editor.onWillDisposeModel(close),
    monaco.editor.onDidCreateEditor(follow),
    monaco.languages.registerInlineCompletionsProvider(selector, {
      async provideInlineCompletions(
        model: MonacoModelLike,
        position: PositionLike,
        _context: unknown,
        token: CancellationTokenLike,
      ) {
        const path = open(model);
        const signal = signalFrom(token);
        try {
          const place = { path, language: model.getLanguageId(), cursor: model.getOffsetAt(position) };
          const texts = await completionsAt(session, place, complete, signal);
          const { lineNumber, column } = position;
          const range = {
            startLineNumber: lineNumber,
            startColumn: column,
            endLineNumber: lineNumber,
            endColumn: column,
          };
          return { items: texts.map((insertText) => ({ insertText, range })) };
        } catch (error) {
          if (signal.aborted) return { items: [] };
          if (!onError) throw error;
          onError(error);
          return { items: [] };
        }
      },
      // The name in Monaco up to 0.52, and the later one.
      freeInlineCompletions: nothing,
      disposeInlineCompletions: nothing,
    }),
  ];
  return {
    dispose() {
      subscriptions.forEach((one) => one.dispose());
      [...editors.keys()].forEach(leave);
      [...models.keys()].forEach(close);
    },
  };
}
