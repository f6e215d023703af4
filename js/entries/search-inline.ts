/** `espalier/search` for everything else: the engine is inside. */

export { nodeStorage } from "../conversation/no-node-storage.ts";
export * from "./search-public.ts";
export { nodeFiles } from "../search/sources/no-node.ts";
export * from "./workspace-inline.ts";
