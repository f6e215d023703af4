/**
 * `espalier/count` with the engine inside the JavaScript. Vocabularies come from the host, or from an entry that
 * contains one.
 */

import bytes from "#bytes/count";
import { setLoader } from "../../engine/engine.ts";

setLoader(bytes, true);
