/** Neither engine nor vocabulary: the host passes both as bytes (`initSync`, `loadEncodingSync`) or URLs. */

export * from "./core-public.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";
