/** `espalier/prompt-tsx`, with the engine where this entry finds it. */

import "./web.ts";

export * from "../prompt-tsx/index.ts";
