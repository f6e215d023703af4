/** What `espalier/search` exports in every runtime, beside storages. */

export { initFrom, initSync, isReady } from "../engine/engine.ts";
export type { WasmSource } from "../engine/engine.ts";
export { EspalierError, isEspalierError } from "../errors/errors.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../engine/vocabulary.ts";
export type { EncodingName } from "../types/count.ts";
export type { WorkerLike } from "../tokens/worker-like.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";
export { openIndex } from "../search/open.ts";
export { renderHits } from "../search/passages.ts";
export type * from "../search/types.ts";
export { browserFiles } from "../search/sources/browser.ts";
export type {
  BrowserEntry,
  BrowserFile,
  BrowserFilesOptions,
  BrowserFolder,
  BrowserInput,
  BrowserItem,
} from "../search/sources/browser.ts";
export { memoryFiles } from "../search/sources/memory.ts";
export type { NodeFilesOptions } from "../search/sources/node-options.ts";
export { fileRules } from "../search/sources/rules.ts";
export type { FileRules, SourceOptions } from "../search/sources/rules.ts";
export { vscodeFiles } from "../search/sources/vscode.ts";
export type {
  VsCodeApi,
  VsCodeDocument,
  VsCodeEvent,
  VsCodeFilesOptions,
  VsCodeFolder,
  VsCodeUri,
} from "../search/sources/vscode.ts";
export { MessageIndex, openMessageIndex } from "../search/message-index.ts";
export type { FoundRound, IndexedMessage } from "../search/message-index.ts";
