/** Neither engine nor vocabulary: the host passes both as bytes (`initSync`, `loadEncodingSync`) or URLs. */

export * from "../core.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";
