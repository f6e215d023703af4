/**
 * The original package that ours replaces, from npm. Its declarations ask for `@types/vscode` and declare a global
 * `JSX`, so it is loaded without them.
 */

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** All exports of the package. */
export const peer = load("@vscode/prompt-tsx") as Record<string, any>;

/** Parts that its users import from deep paths because the package does not export them. */
export const materialized = load("@vscode/prompt-tsx/dist/base/materialized") as Record<string, any>;
export const { VSCodeTokenizer } = load("@vscode/prompt-tsx/dist/base/tokenizer/tokenizer") as Record<string, any>;
