/**
 * The engine of search and inline context inside the JavaScript. Vocabularies come from the host, or from an entry that
 * contains one.
 */

import bytes from "#bytes/workspace";
import { setLoader } from "../../engine/engine.ts";

setLoader(bytes, true);
