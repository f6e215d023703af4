/**
 * Cloudflare's workerd: it compiles wasm only when a Worker is deployed, so the engine is imported as a compiled
 * module. The vocabulary of o200k_base is inside; `espalier/inline/cl100k_base` adds the other.
 */

import engine from "#engine-module";
import o200k from "#bytes/o200k_base";
import { setLoader } from "../engine/engine.ts";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./core-public.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

setLoader(() => engine, true);
provideVocabulary("o200k_base", o200k);
