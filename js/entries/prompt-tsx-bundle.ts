/** `espalier/prompt-tsx`, with the engine where this entry finds it. */

import "./bundle.ts";

export * from "../prompt-tsx/index.ts";
