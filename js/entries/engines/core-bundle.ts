/**
 * Node, in a bundle: engine and vocabularies are inside the JavaScript, because a bundle has no files beside it. Only
 * bundlers use this module, by the condition `module`.
 */

import engine from "#bytes/engine-deflated";
import { unpackEngine } from "./packed.ts";
import "./o200k_base.ts";
import "./cl100k_base.ts";
import { readGrammars } from "./grammar-files.ts";

unpackEngine(engine);
readGrammars();
