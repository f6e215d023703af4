/** The engine inside the JavaScript: for bundled extensions and wherever no file can be read. Vocabularies come from the host. */

import bytes from "#wasm-bytes";
import { setLoader } from "../engine.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

setLoader(() => bytes(), true);
