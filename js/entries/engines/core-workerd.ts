/**
 * Cloudflare's workerd: it compiles wasm only when a Worker is deployed, so the engine is imported as a compiled
 * module. The vocabulary of o200k_base is inside; `espalier/inline/cl100k_base` adds the other.
 */

import engine from "#engine-module";
import { setLoader } from "../../engine/engine.ts";
import "./o200k_base.ts";

setLoader(() => engine, true);
