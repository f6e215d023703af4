/** A host's tokenizer as the engine calls it: it returns whole numbers, remembers counts, and never throws. */

import { EspalierError } from "../errors/errors.ts";
import { guarded } from "./host-failure.ts";

/** Returns the number of tokens of a text, synchronously: a whole number, 0 or more, the same for the same text. */
export type HostTokenizer = (text: string) => number;

/** Max UTF-16 code units of the texts whose counts are remembered for one tokenizer. */
const MAX_REMEMBERED = 4 << 20;

const wrapped = new WeakMap<HostTokenizer, HostTokenizer>();

/** Returns the function that the engine calls for `tokenizer`, the same one each time. */
export function hostTokenizer(tokenizer: HostTokenizer | undefined): HostTokenizer | undefined {
  if (tokenizer === undefined) return undefined;
  const known = wrapped.get(tokenizer);
  if (known) return known;
  const made = remembering(tokenizer);
  wrapped.set(tokenizer, made);
  return made;
}

function remembering(tokenizer: HostTokenizer): HostTokenizer {
  const counts = new Map<string, number>();
  let units = 0;
  return (text) => {
    const known = counts.get(text);
    if (known !== undefined) return known;
    return guarded("tokenizer", 0, () => {
      const tokens: unknown = tokenizer(text);
      if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) throw notCounted(tokens);
      if (units > MAX_REMEMBERED) {
        counts.clear();
        units = 0;
      }
      units += text.length;
      counts.set(text, tokens as number);
      return tokens as number;
    });
  };
}

function notCounted(tokens: unknown): EspalierError {
  const isPromise = typeof (tokens as PromiseLike<unknown> | null | undefined)?.then === "function";
  const found = isPromise ? "a promise" : typeof tokens === "number" ? tokens : typeof tokens;
  const message = `options.tokenizer must return a whole number, 0 or more, at once, and returned ${found}`;
  return new EspalierError({ code: "bad_option", message, path: "options.tokenizer" });
}
