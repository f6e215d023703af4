/** The vocabulary of cl100k_base, inside the JavaScript. */

import vocabulary from "#bytes/cl100k_base";
import { provideVocabulary } from "../../engine/vocabulary.ts";

provideVocabulary("cl100k_base", vocabulary);
