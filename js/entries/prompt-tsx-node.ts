/** `espalier/prompt-tsx`, with the engine where this entry finds it. */

import "./node.ts";

export * from "../prompt-tsx/index.ts";
