/** The built entry, typed by its sources, and the other engine's counts to compare with. */

import { readFileSync } from "node:fs";
// @ts-expect-error The bundle has no declarations beside it.
import * as bundle from "../../../pkg/dist/inline-context-node.js";
import type * as Sources from "../../../js/entries/inline-context.ts";
import { espalier } from "../built.ts";

export const inline = bundle as typeof Sources;
export type * from "../../../js/inline-context/types.ts";
export const count = (text: string) => espalier.count(text);

/** A file of this repository, as an editor shows it. */
export const source = (path: string) => ({
  path,
  language: path.endsWith(".rs") ? "rust" : "typescript",
  text: readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"),
});

/** Returns the offset after the first occurrence of `text`. */
export const behind = (file: { text: string }, text: string) => {
  const at = file.text.indexOf(text);
  if (at < 0) throw new Error(`no ${text}`);
  return at + text.length;
};

/** A clock that a test advances. */
export class TestClock {
  time = 0;
  #timers: { at: number; done: () => void }[] = [];
  now = () => this.time;
  after = (ms: number, done: () => void) => {
    const timer = { at: this.time + ms, done };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((one) => one !== timer));
  };
  /** Advances the time, runs due timers in order, and lets promises settle in between. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.time = Math.max(this.time, next.at);
      this.#timers = this.#timers.filter((one) => one !== next);
      next.done();
      await settled();
    }
    this.time = end;
  }
}

/** Lets promises settle. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
