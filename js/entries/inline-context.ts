/** `espalier/inline-context`: what a model needs to complete code at the cursor. */

export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";
export { initFrom, initSync, isReady } from "../engine/engine.ts";
export type { WasmSource } from "../engine/engine.ts";
export { EspalierError, isEspalierError } from "../errors/errors.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../engine/vocabulary.ts";
export type { EncodingName } from "../types/count.ts";
export type { HostTokenizer } from "../tokens/host-tokenizer.ts";
export { inlineContext } from "../inline-context/plain.ts";
export { InlineContext } from "../inline-context/session.ts";
export type * from "../inline-context/types.ts";
export { insertion } from "../inline-context/hosts/shared.ts";
export type { DisposableLike, InlineComplete, InlinePrompt } from "../inline-context/hosts/shared.ts";
export { vscodeInlineContext } from "../inline-context/hosts/vscode.ts";
export type {
  VSCodeDocumentLike,
  VSCodeInlineModule,
  VSCodeInlineOptions,
  VSCodeInlineProvider,
} from "../inline-context/hosts/vscode.ts";
export { monacoInlineContext } from "../inline-context/hosts/monaco.ts";
export type {
  MonacoEditorLike,
  MonacoInlineModule,
  MonacoInlineOptions,
  MonacoModelLike,
} from "../inline-context/hosts/monaco.ts";
export { codeMirrorInlineContext } from "../inline-context/hosts/codemirror.ts";
export type {
  CodeMirrorCompletion,
  CodeMirrorInline,
  CodeMirrorInlineOptions,
  CodeMirrorStateLike,
  CodeMirrorUpdateLike,
} from "../inline-context/hosts/codemirror.ts";
