/**
 * The engine inside the JavaScript: wherever no file can be read. Vocabularies come from the host, or from
 * `espalier/inline/o200k_base`.
 */

import engine from "#bytes/engine";
import { setLoader } from "../engine/engine.ts";

export * from "./core-public.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

setLoader(engine, true);
