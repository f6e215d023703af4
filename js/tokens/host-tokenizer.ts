/** A host's tokenizer as the engine calls it: it returns whole numbers, remembers counts, and never throws. */

import { EspalierError } from "../errors/errors.ts";
import { guarded } from "./host-failure.ts";
import { eachOnce, Remembered } from "./host-functions.ts";

/** Returns the number of tokens of a text, synchronously: a whole number, 0 or more, the same for the same text. */
export type HostTokenizer = (text: string) => number;

/** Returns the function that the engine calls for `tokenizer`, the same one each time. */
export const hostTokenizer = eachOnce((tokenizer: HostTokenizer): HostTokenizer => {
  const counts = new Remembered<number>();
  return (text) =>
    counts.get(text) ??
    guarded("tokenizer", 0, () => {
      const tokens: unknown = tokenizer(text);
      if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) throw notCounted(tokens);
      counts.set(text, tokens as number);
      return tokens as number;
    });
});

function notCounted(tokens: unknown): EspalierError {
  const isPromise = typeof (tokens as PromiseLike<unknown> | null | undefined)?.then === "function";
  const found = isPromise ? "a promise" : typeof tokens === "number" ? tokens : typeof tokens;
  const message = `options.tokenizer must return a whole number, 0 or more, at once, and returned ${found}`;
  return new EspalierError({ code: "bad_option", message, path: "options.tokenizer" });
}
