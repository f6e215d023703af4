/** The vocabulary of o200k_base, inside the JavaScript. */

import vocabulary from "#bytes/o200k_base";
import { provideVocabulary } from "../../engine/vocabulary.ts";

provideVocabulary("o200k_base", vocabulary);
