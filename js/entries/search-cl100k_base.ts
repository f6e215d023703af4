/**
 * `espalier/search` with the engine and the vocabulary of cl100k_base inside the JavaScript: no file is read or
 * fetched.
 */

import bytes from "#bytes/cl100k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./search-inline.ts";

provideVocabulary("cl100k_base", bytes);
