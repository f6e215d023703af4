/** `espalier/inline-context` for Node, in a bundle. */

export * from "./inline-context-public.ts";
export * from "./workspace-bundle.ts";
