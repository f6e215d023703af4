/** `espalier/search` for Node. */

export * from "../search/public.ts";
export { nodeFiles } from "../search/sources/node.ts";
export * from "./workspace-node.ts";
