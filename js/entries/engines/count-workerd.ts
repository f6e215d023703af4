/** `espalier/count` on Cloudflare: the engine as a compiled module, the vocabulary of o200k_base inside. */

import engine from "#count-module";
import { setLoader } from "../../engine/engine.ts";
import "./o200k_base.ts";

setLoader(() => engine, true);
