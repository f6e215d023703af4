/** `espalier/search` for Node. */

export * from "../search/public.ts";
export * from "./workspace-node.ts";
