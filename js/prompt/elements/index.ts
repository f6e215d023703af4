/** The elements of the package except `SourceDocument`, which needs the engine. */

export * from "./containers.ts";
export * from "./keep-with.ts";
export * from "./media.ts";
export * from "./messages.ts";
export * from "./prioritized-list.ts";
export * from "./text-chunk.ts";
export * from "./tool-result.ts";
