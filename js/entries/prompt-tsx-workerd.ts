/** `espalier/prompt-tsx`, with the engine where this entry finds it. */

import "./workerd.ts";

export * from "../prompt-tsx/index.ts";
