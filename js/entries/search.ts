/** `espalier/search`: an index of a workspace, and where its files and the index are. */

export * from "./search-list.ts";
export * from "./storage.ts";
export { nodeFiles } from "../search/sources/node.ts";
