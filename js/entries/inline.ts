/** The engine inside the JavaScript: wherever no file can be read. Vocabularies come from the host, or from `espalier/inline/o200k_base`. */

import engine from "#bytes/engine";
import { setLoader } from "../engine.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

setLoader(engine, true);
