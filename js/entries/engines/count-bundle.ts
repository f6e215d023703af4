/** The engine that only counts, for Node in a bundle: it and both vocabularies are inside. */

import engine from "#bytes/count-deflated";
import { unpackEngine } from "./packed.ts";
import "./o200k_base.ts";
import "./cl100k_base.ts";

unpackEngine(engine);
