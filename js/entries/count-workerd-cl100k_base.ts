/** `espalier/count` on Cloudflare, with both vocabularies. */

import vocabulary from "#bytes/cl100k_base";
import { provideVocabulary } from "../engine/vocabulary.ts";

export * from "./count-workerd.ts";

provideVocabulary("cl100k_base", vocabulary);
