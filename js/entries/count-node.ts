/**
 * `espalier/count` in Node: engine and vocabularies are read from the package's own folder, when they are first used.
 */

import { readEngine } from "./files.ts";

export * from "../count/public.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

readEngine("count.wasm");
