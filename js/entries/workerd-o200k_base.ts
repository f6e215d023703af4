/** `espalier/inline/o200k_base` on Cloudflare, where the default entry contains that vocabulary. */

import "./workerd.ts";

export * from "./workerd.ts";
