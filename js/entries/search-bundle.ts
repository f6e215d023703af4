/** `espalier/search` for Node, in a bundle. */

export * from "../search/public.ts";
export * from "./workspace-bundle.ts";
