/** `espalier/count` for Node, in a bundle: the engine that only counts and both vocabularies are inside. */

import cl100k from "#bytes/cl100k_base";
import o200k from "#bytes/o200k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./count-inline.ts";

provideVocabulary("o200k_base", o200k);
provideVocabulary("cl100k_base", cl100k);
