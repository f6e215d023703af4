/** `espalier/inline-context` for everything else: the engine is inside. */

export * from "./inline-context-public.ts";
export * from "./workspace-inline.ts";
