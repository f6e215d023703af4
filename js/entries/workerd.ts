/**
 * Cloudflare's workerd: it compiles wasm only when a Worker is deployed, so the engine is imported as a compiled module. The vocabulary of
 * o200k_base is inside; `espalier/inline/cl100k_base` adds the other.
 */

import engine from "#engine-module";
import o200k from "#bytes/o200k_base";
import { setLoader } from "../engine.ts";
import { provideVocabulary } from "../vocabulary.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

setLoader(() => engine, true);
provideVocabulary("o200k_base", o200k);
