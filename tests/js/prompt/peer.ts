/**
 * The package that ours replaces, as npm has it. Its declarations ask for `@types/vscode` and declare a global `JSX`, so it is loaded
 * without them.
 */

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Everything that the package exports. */
export const peer = load("@vscode/prompt-tsx") as Record<string, any>;

/** What its users take from deep paths because the package does not export it. */
export const materialized = load("@vscode/prompt-tsx/dist/base/materialized") as Record<string, any>;
export const { VSCodeTokenizer } = load("@vscode/prompt-tsx/dist/base/tokenizer/tokenizer") as Record<string, any>;

/**
 * The package has one regular expression for all elements that break at white space. When several are prepared at once, each moves its
 * position for the others, and texts come out garbled. `differences.test.ts` shows it with `garbled`; everywhere else each has its own.
 */
export const garbled = peer.TextChunk.prototype.prepare as (...told: unknown[]) => Promise<unknown>;
peer.TextChunk.prototype.prepare = function prepare(this: any, ...told: unknown[]) {
  const { breakOn, breakOnWhitespace } = this.props;
  const own = breakOnWhitespace ? /\s+/g : breakOn instanceof RegExp ? new RegExp(breakOn) : breakOn;
  return garbled.call({ props: { ...this.props, breakOn: own, breakOnWhitespace: false } }, ...told);
};
