/** `espalier/search` for browsers. */

export * from "../search/public.ts";
export * from "./workspace-web.ts";
