/** `espalier/inline-context` for Node. */

export * from "./inline-context-public.ts";
export * from "./workspace-node.ts";
