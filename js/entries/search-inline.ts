/** `espalier/search` for everything else: the engine is inside. */

export * from "../search/public.ts";
export * from "./workspace-inline.ts";
