/**
 * The engine of search and inline context on Cloudflare: a compiled module, with the vocabulary of o200k_base inside.
 */

import engine from "#workspace-module";
import { setLoader } from "../../engine/engine.ts";
import "./o200k_base.ts";

setLoader(() => engine, true);
