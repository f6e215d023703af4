/**
 * The engine inside the JavaScript: wherever no file can be read. Vocabularies come from the host, or from
 * `espalier/inline/o200k_base`.
 */

import engine from "#bytes/engine";
import { setLoader } from "../../engine/engine.ts";

setLoader(engine, true);
