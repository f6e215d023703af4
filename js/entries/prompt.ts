/** `espalier/prompt`: prompt trees. */

export * from "../prompt/index.ts";
