/** The storages of every runtime, for conversations and search indexes. */

export { indexedDbStorage } from "../conversation/indexeddb-storage.ts";
export type { IndexedDbLike } from "../conversation/indexeddb-storage.ts";
export { memoryStorage } from "../conversation/storage.ts";
export type { ConversationStorage, HostStorage } from "../conversation/storage.ts";
export { mementoStorage, workspaceStorage } from "../conversation/vscode-storage.ts";
export type { FileSystemLike, MementoLike, UriLike } from "../conversation/vscode-storage.ts";
