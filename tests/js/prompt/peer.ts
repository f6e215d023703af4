/**
 * The package that ours replaces, as npm has it. Its declarations ask for `@types/vscode` and declare a global `JSX`,
 * so it is loaded without them.
 */

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Everything that the package exports. */
export const peer = load("@vscode/prompt-tsx") as Record<string, any>;

/** What its users take from deep paths because the package does not export it. */
export const materialized = load("@vscode/prompt-tsx/dist/base/materialized") as Record<string, any>;
export const { VSCodeTokenizer } = load("@vscode/prompt-tsx/dist/base/tokenizer/tokenizer") as Record<string, any>;
