/**
 * `espalier/search` with the engine and the vocabulary of o200k_base inside the JavaScript: no file is read or fetched.
 */

import bytes from "#bytes/o200k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./search-inline.ts";

provideVocabulary("o200k_base", bytes);
