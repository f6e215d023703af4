/** The engine that only counts, for Node in a bundle: it and both vocabularies are inside. */

import "./count-inline.ts";
import "./o200k_base.ts";
import "./cl100k_base.ts";
