/** `espalier/inline-context` for browsers. */

export * from "./inline-context-public.ts";
export * from "./workspace-web.ts";
