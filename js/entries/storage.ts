/** `espalier/storage`: where conversations and search indexes are kept. */

export * from "./storage-list.ts";
export { nodeStorage } from "../conversation/node-storage.ts";
