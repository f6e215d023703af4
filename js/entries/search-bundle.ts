/** `espalier/search` for Node, in a bundle. */

export { nodeStorage } from "../conversation/node-storage.ts";
export * from "./search-public.ts";
export { nodeFiles } from "../search/sources/node.ts";
export * from "./workspace-bundle.ts";
