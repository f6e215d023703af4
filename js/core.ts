/** What every entry exports. */

export { compact, count, countMessages, prune } from "./api.ts";
export { EspalierError } from "./errors.ts";
export { initFrom, initSync, isReady } from "./engine.ts";
export type { WasmSource } from "./engine.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "./vocabulary.ts";
export type * from "./types.ts";
