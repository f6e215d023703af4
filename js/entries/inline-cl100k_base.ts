/** `espalier/inline` with the vocabulary of cl100k_base inside: one file that counts and needs no other. */

import vocabulary from "#bytes/cl100k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./inline.ts";

provideVocabulary("cl100k_base", vocabulary);
