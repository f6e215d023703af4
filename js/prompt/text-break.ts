/**
 * Finds the longest beginning of a text that fits a budget and ends at a break. Only the count of a whole beginning
 * matters (tokens of pieces do not add up exactly), but counting every beginning would take quadratic time. So the
 * place is guessed from the tokens per character so far, then by counting the short stretch between a counted beginning
 * and the guess. Two counts settle it: a beginning that fits, and the next one, which does not.
 */

import { EspalierError } from "../errors/errors.ts";
import { ChatCompletionContentPartKind } from "../formats/raw/prompt.ts";
import type { CancellationToken } from "./host-types.ts";
import type { BasePromptSizing } from "./piece.ts";

/** A possible end of the text: the index of the break, its offset, and the tokens before it. */
interface Mark {
  cut: number;
  at: number;
  tokens: number;
}

/** Characters of the first beginning that is counted, if that is not known to be all. */
const FIRST = 64;
/**
 * Max ratio between consecutive beginnings. More would risk expensive counts that are far too long; less would take
 * more steps.
 */
const STEP = 8;
/** Number of counts after which guessing gives way to bisection, for tokenizers that are hard to predict. */
const GUESSES = 12;
/** Max share of the beginning for which counting the stretch first is worthwhile. */
const STRETCH = 0.25;
const STRETCHES = 10;

/**
 * Returns the longest beginning of `text` that ends before a break, or with the text, and has at most
 * `sizing.tokenBudget` tokens.
 */
export async function longestFittingPrefix(
  text: string,
  breakOn: RegExp | string,
  sizing: BasePromptSizing,
  token?: CancellationToken,
): Promise<string> {
  const cuts = breaks(text, breakOn);
  // NaN is an unstated budget of a host: it cuts nothing.
  const budget = Number.isNaN(sizing.tokenBudget) ? Infinity : sizing.tokenBudget;
  if (budget === Infinity) return text;
  const last = cuts.length - 1;
  const offset = (cut: number) => cuts[cut] ?? 0;
  const count = async (from: number, to: number) =>
    sizing.countTokens({ type: ChatCompletionContentPartKind.Text, text: text.slice(from, to) }, token);

  let low: Mark = { cut: -1, at: 0, tokens: 0 };
  let high: Mark | undefined;
  // The cost of cutting in two: some tokenizers count a frame around every text, which must not be added once per
  // stretch.
  let seam: number | undefined;
  let shortest: [Mark, Mark] | undefined;
  for (let counted = 0; low.cut < (high ? high.cut - 1 : last); counted++) {
    const cut = await next(counted);
    const mark = { cut, at: offset(cut), tokens: await count(0, offset(cut)) };
    if (mark.tokens > budget) high = mark;
    else {
      if (low.cut >= 0) shortest ??= [low, mark];
      low = mark;
    }
  }
  return text.slice(0, low.at);

  async function next(counted: number): Promise<number> {
    // A token is rarely shorter than a character, so this will fit.
    if (counted === 0 && text.length <= budget) return last;
    const top = high ? high.cut - 1 : last;
    if (counted >= GUESSES) return Math.ceil((low.cut + top + 1) / 2);
    let [from, to] = [low, high];
    let cut = guess(from, to);
    for (let stretch = 0; stretch < STRETCHES; stretch++) {
      const near = to && to.at - offset(cut) < offset(cut) - from.at ? to : from;
      if (Math.abs(offset(cut) - near.at) > offset(cut) * STRETCH) return cut;
      if (shortest) seam ??= shortest[0].tokens + (await count(shortest[0].at, shortest[1].at)) - shortest[1].tokens;
      const between = (await count(Math.min(near.at, offset(cut)), Math.max(near.at, offset(cut)))) - (seam ?? 0);
      const mark = { cut, at: offset(cut), tokens: near === from ? near.tokens + between : near.tokens - between };
      if (mark.tokens > budget) to = mark;
      else from = mark;
      if ((to ? to.cut : cuts.length) - from.cut <= 1) break;
      cut = guess(from, to);
    }
    return Math.min(Math.max(from.cut, low.cut + 1), top);
  }

  /**
   * Returns the break that the budget should reach, by the tokens per character between two marks, or before the first.
   */
  function guess(from: Mark, to: Mark | undefined): number {
    const perChar = to ? (to.tokens - from.tokens) / (to.at - from.at) : from.tokens / from.at;
    const farthest = to ? to.at : Math.max(FIRST, from.at * STEP);
    const reach = from.at + (budget - from.tokens) / perChar;
    const target = from.cut < 0 && !to ? FIRST : perChar > 0 ? Math.min(reach, farthest) : farthest;
    return Math.min(Math.max(lastUpTo(cuts, target), from.cut + 1), to ? to.cut - 1 : last);
  }
}

/** Returns the offsets of the breaks, and of the end, ascending. */
function breaks(text: string, breakOn: RegExp | string): number[] {
  const cuts: number[] = [];
  if (typeof breakOn === "string") {
    for (let at = text.indexOf(breakOn); at >= 0; at = text.indexOf(breakOn, at + Math.max(1, breakOn.length))) {
      cuts.push(at);
      if (at >= text.length) break;
    }
  } else {
    if (!breakOn.global)
      throw new EspalierError({
        code: "bad_element",
        message: `\`breakOn\` expression must have the global flag set (got ${breakOn})`,
      });
    // A copy: the expression's position belongs to the caller, and elements that share an expression are prepared at
    // the same time.
    for (const match of text.matchAll(new RegExp(breakOn))) cuts.push(match.index);
  }
  if (cuts.at(-1) !== text.length) cuts.push(text.length);
  return cuts;
}

/** Returns the index of the last break at or before an offset; -1 if there is none. */
function lastUpTo(cuts: readonly number[], offset: number): number {
  let [low, high] = [-1, cuts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (cuts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
