/** `espalier/inline` and `espalier/slim`: everything that the root and its neighbour entries export. */

export * from "./verbs.ts";
export * from "../prompt/index.ts";
export * from "./tokens.ts";
export * from "./documents.ts";
export * from "./results.ts";
export * from "./cache.ts";
export * from "./bill.ts";
export * from "./storage.ts";
export * from "./log.ts";
export * from "./profiles.ts";
