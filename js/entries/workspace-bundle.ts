/** The engine of search and inline context for Node, in a bundle: engine and both vocabularies are inside. */

import cl100k from "#bytes/cl100k_base";
import o200k from "#bytes/o200k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./workspace-inline.ts";

provideVocabulary("o200k_base", o200k);
provideVocabulary("cl100k_base", cl100k);
