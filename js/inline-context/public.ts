/** What every entry of `espalier/inline-context` exports. */

export { initFrom, initSync, isReady } from "../engine.ts";
export type { WasmSource } from "../engine.ts";
export { EspalierError, isEspalierError } from "../errors.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../vocabulary.ts";
export type { EncodingName } from "../types.ts";
export type { HostTokenizer } from "../counting/host-tokenizer.ts";
export { inlineContext } from "./plain.ts";
export { InlineContext } from "./session.ts";
export type * from "./types.ts";
export { insertion } from "./hosts/shared.ts";
export type { DisposableLike, InlineComplete, InlinePrompt } from "./hosts/shared.ts";
export { vscodeInlineContext } from "./hosts/vscode.ts";
export type {
  VSCodeDocumentLike,
  VSCodeInlineModule,
  VSCodeInlineOptions,
  VSCodeInlineProvider,
} from "./hosts/vscode.ts";
export { monacoInlineContext } from "./hosts/monaco.ts";
export type { MonacoEditorLike, MonacoInlineModule, MonacoInlineOptions, MonacoModelLike } from "./hosts/monaco.ts";
export { codeMirrorInlineContext } from "./hosts/codemirror.ts";
export type {
  CodeMirrorCompletion,
  CodeMirrorInline,
  CodeMirrorInlineOptions,
  CodeMirrorStateLike,
  CodeMirrorUpdateLike,
} from "./hosts/codemirror.ts";
