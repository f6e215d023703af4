/**
 * The engine of search and inline context on Cloudflare: a compiled module, with the vocabulary of o200k_base inside.
 */

import engine from "#workspace-module";
import o200k from "#bytes/o200k_base";
import { setLoader } from "../engine/engine.ts";
import { provideVocabulary } from "../engine/vocabulary.ts";

export { init } from "../engine/init.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

setLoader(() => engine, true);
provideVocabulary("o200k_base", o200k);
