/** `espalier/search` for Cloudflare. */

export * from "../search/public.ts";
export { nodeFiles } from "../search/sources/no-node.ts";
export * from "./workspace-workerd.ts";
