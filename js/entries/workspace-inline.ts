/**
 * The engine of search and inline context inside the JavaScript. Vocabularies come from the host, or from an entry that
 * contains one.
 */

import bytes from "#bytes/workspace";
import { setLoader } from "../engine/engine.ts";

export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

setLoader(bytes, true);
