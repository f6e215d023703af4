/**
 * `espalier/count` with the engine inside the JavaScript. Vocabularies come from the host, or from an entry that
 * contains one.
 */

import bytes from "#bytes/count";
import { setLoader } from "../engine.ts";

export * from "../count/public.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

setLoader(bytes, true);
