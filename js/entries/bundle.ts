/**
 * Node, in a bundle: engine and vocabularies are inside the JavaScript, since a bundle has no files beside it. Only
 * bundlers come here, by the condition `module`.
 */

import engine from "#bytes/engine";
import cl100k from "#bytes/cl100k_base";
import o200k from "#bytes/o200k_base";
import { setLoader } from "../engine/engine.ts";
import { provideVocabulary } from "../engine/vocabulary.ts";
import { readGrammars } from "./grammar-files.ts";

export * from "./core-public.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/node-storage.ts";
export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

setLoader(engine, true);
provideVocabulary("o200k_base", o200k);
provideVocabulary("cl100k_base", cl100k);
readGrammars();
