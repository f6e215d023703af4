/**
 * Node, in a bundle: engine and vocabularies are inside the JavaScript, since a bundle has no files beside it. Only
 * bundlers come here, by the condition `module`.
 */

import "./core-inline.ts";
import "./o200k_base.ts";
import "./cl100k_base.ts";
import { readGrammars } from "./grammar-files.ts";

readGrammars();
