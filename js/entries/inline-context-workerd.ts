/** `espalier/inline-context` for Cloudflare. */

export * from "./inline-context-public.ts";
export * from "./workspace-workerd.ts";
