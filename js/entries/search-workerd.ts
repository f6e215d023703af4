/** `espalier/search` for Cloudflare. */

export * from "../search/public.ts";
export * from "./workspace-workerd.ts";
