/**
 * Remembers results of pruning by the budgets for which they hold.
 *
 * Pruning removes in one order and stops as soon as the request fits. A run at budget `B` that ends at `T` tokens
 * therefore ends alike for every budget from `T` to `B`: at each earlier step more than `B` tokens were left, and at
 * this one no more than `T`. That does not hold where a length depends on the budget itself: shortened results, and
 * results that could become larger than a quarter of the limit.
 */

import type { PruneReport, Removal } from "../../js/types/prune.ts";

/** Budgets from `low` to `high`, both included. */
export interface Span {
  low: number;
  high: number;
}

/** Rules that remove whole messages because the request does not fit. */
const REMOVING = new Set(["old-turn", "old-round", "old-request", "current-round"]);
/** Rules that shorten to a length that depends on the budget. */
const SHORTENING = new Set(["reduced-result", "oversize-result", "long-result", "long-arguments", "media"]);
/** A single result may have one part in OVERSIZE of the limit. */
const OVERSIZE = 4;

/** Returns the budgets for which a report holds. `largest` is the size of the largest message with results. */
export function spanOf(
  { budget, after, removed }: Pick<PruneReport, "budget" | "after"> & { removed: readonly Pick<Removal, "rule">[] },
  largest: number,
): Span {
  if (removed.some(({ rule }) => SHORTENING.has(rule))) return { low: budget, high: budget };
  if (!removed.some(({ rule }) => REMOVING.has(rule))) return { low: after.total, high: Number.MAX_SAFE_INTEGER };
  return { low: Math.min(budget, Math.max(after.total, OVERSIZE * (largest + 1))), high: budget };
}

/** Results by budget, within a limit of bytes. */
export class Remembered<T extends Span & { bytes: number }> {
  /** Ordered, without overlaps. */
  #spans: T[] = [];
  #bytes = 0;
  readonly #max: number;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Returns the result for a budget. */
  at(budget: number): T | undefined {
    const span = this.#spans[this.#first(budget)];
    return span && span.low <= budget ? span : undefined;
  }

  /** Index of the first span that ends at `budget` or later. */
  #first(budget: number): number {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#spans[middle]!.high < budget) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds a result. Around `focus` results are kept longest. */
  add(span: T, focus: number): void {
    const start = this.#first(span.low);
    let end = start;
    while (end < this.#spans.length && this.#spans[end]!.low <= span.high) end++;
    // Overlapping spans have the same result; the new one covers them as far as it reaches.
    const others = this.#spans.slice(start, end);
    const low = Math.min(span.low, ...others.map((other) => other.low));
    const high = Math.max(span.high, ...others.map((other) => other.high));
    for (const { bytes } of others) this.#bytes -= bytes;
    this.#spans.splice(start, end - start, Object.assign(span, { low, high }));
    this.#bytes += span.bytes;
    while (this.#bytes > this.#max && this.#spans.length > 1) {
      const [first, last] = [this.#spans[0]!, this.#spans.at(-1)!];
      const gone = focus - first.high > last.low - focus ? this.#spans.shift()! : this.#spans.pop()!;
      this.#bytes -= gone.bytes;
    }
  }

  clear(): void {
    this.#spans = [];
    this.#bytes = 0;
  }

  /** Number of remembered results. */
  get size(): number {
    return this.#spans.length;
  }

  /**
   * Returns the next unknown budget below and above `budget`, in the known stretch around it: above, at most `step`
   * beyond that stretch, and from there on downwards until the gap is closed.
   */
  gaps(budget: number, step: number): { below?: number; above?: number } {
    const at = this.#first(budget);
    if (!this.at(budget)) return {};
    let [first, last] = [at, at];
    while (first > 0 && this.#spans[first - 1]!.high + 1 === this.#spans[first]!.low) first--;
    while (last + 1 < this.#spans.length && this.#spans[last + 1]!.low - 1 === this.#spans[last]!.high) last++;
    const end = this.#spans[last]!.high;
    const next = this.#spans[last + 1];
    const above = next && next.low - 1 <= end + step ? next.low - 1 : end + step;
    return {
      below: this.#spans[first]!.low - 1,
      ...(end < Number.MAX_SAFE_INTEGER && { above }),
    };
  }
}
