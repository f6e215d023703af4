/** What every entry of `espalier/search` exports. */

export { initFrom, initSync, isReady } from "../engine.ts";
export type { WasmSource } from "../engine.ts";
export { EspalierError, isEspalierError } from "../errors.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../vocabulary.ts";
export type { EncodingName } from "../types.ts";
export type { WorkerLike } from "../token-worker.ts";
export { indexedDbStorage } from "../conversation/indexeddb-storage.ts";
export type { IndexedDbLike } from "../conversation/indexeddb-storage.ts";
export { memoryStorage } from "../conversation/storage.ts";
export type { ConversationStorage, HostStorage } from "../conversation/storage.ts";
export { mementoStorage, workspaceStorage } from "../conversation/vscode-storage.ts";
export type { FileSystemLike, MementoLike, UriLike } from "../conversation/vscode-storage.ts";
export { openIndex } from "./open.ts";
export { renderHits } from "./passages.ts";
export type * from "./types.ts";
export { browserFiles } from "./sources/browser.ts";
export type {
  BrowserEntry,
  BrowserFile,
  BrowserFilesOptions,
  BrowserFolder,
  BrowserInput,
  BrowserItem,
} from "./sources/browser.ts";
export { memoryFiles } from "./sources/memory.ts";
export type { NodeFilesOptions } from "./sources/node-options.ts";
export { fileRules } from "./sources/rules.ts";
export type { FileRules, SourceOptions } from "./sources/rules.ts";
export { vscodeFiles } from "./sources/vscode.ts";
export type {
  VsCodeApi,
  VsCodeDocument,
  VsCodeEvent,
  VsCodeFilesOptions,
  VsCodeFolder,
  VsCodeUri,
} from "./sources/vscode.ts";
export { MessageIndex, openMessageIndex } from "./message-index.ts";
export type { FoundRound, IndexedMessage } from "./message-index.ts";
