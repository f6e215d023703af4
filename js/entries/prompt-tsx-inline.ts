/** `espalier/prompt-tsx`, with the engine where this entry finds it. */

import "./inline.ts";

export * from "../prompt-tsx/index.ts";
