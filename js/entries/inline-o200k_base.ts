/** `espalier/inline` with the vocabulary of o200k_base inside: one file that counts and needs no other. */

import vocabulary from "#bytes/o200k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./inline.ts";

provideVocabulary("o200k_base", vocabulary);
