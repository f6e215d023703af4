/** The elements of the package except `SourceDocument`, which needs the engine. */

export * from "./elements/containers.ts";
export * from "./elements/keep-with.ts";
export * from "./elements/media.ts";
export * from "./elements/messages.ts";
export * from "./elements/prioritized-list.ts";
export * from "./elements/text-chunk.ts";
export * from "./elements/tool-result.ts";
