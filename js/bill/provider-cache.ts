/** A provider's prompt cache, replayed: which tokens of a request are read from it, written to it, or neither. */

import type { CacheRule } from "./rules.ts";

/** A message of a request. */
export interface Line {
  /** Equal for equal messages. */
  key: number;
  tokens: number;
  /** Number of its parts. */
  blocks: number;
  kind: "system" | "user" | "summary" | "other";
}

/** A request: its messages, and the tokens of everything before them (tool definitions, the frame of the list). */
export interface Sent {
  lines: readonly Line[];
  base: number;
}

/** The prompt tokens of a request, by price. */
export interface PromptTokens {
  input: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A prefix of earlier requests; its children are longer by one message. */
interface Prefix {
  next: Map<number, Prefix>;
  /** Time of the last request that had it, and of the last one that wrote or read it. */
  seen: number;
  cached: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
const fresh = (): Prefix => ({ next: new Map(), seen: NEVER, cached: NEVER });

export class ProviderCache {
  private readonly root = fresh();
  private readonly rule: CacheRule;
  private readonly minTokens: number;
  private readonly lifetimeMs: number;
  /** Where the previous request had its newest mark. */
  private newest: Prefix | undefined;

  constructor(rule: CacheRule, minTokens: number, lifetimeMs: number) {
    this.rule = rule;
    this.minTokens = minTokens;
    this.lifetimeMs = lifetimeMs;
  }

  /** Takes a request, sent at `time` in milliseconds, and returns what its prompt costs. */
  send({ lines, base }: Sent, time: number): PromptTokens {
    // The prefix of each length, the tokens and the blocks in it.
    const path = [this.root];
    const sums = [base];
    const blocks = [0];
    for (const { key, tokens, blocks: own } of lines) {
      const before = path.at(-1)!;
      const prefix = before.next.get(key) ?? fresh();
      before.next.set(key, prefix);
      path.push(prefix);
      sums.push(sums.at(-1)! + tokens);
      blocks.push(blocks.at(-1)! + own);
    }
    const isMarked = this.rule.kind === "marks";
    const made = isMarked ? this.marked(lines, path, sums, blocks, time) : this.automatic(path, sums, time);
    for (const prefix of path) prefix.seen = time;
    return made;
  }

  private automatic(path: readonly Prefix[], sums: readonly number[], time: number): PromptTokens {
    const total = sums.at(-1)!;
    const end = path.findLastIndex(({ seen }) => this.isAlive(seen, time));
    const shared = Math.floor((end < 0 ? 0 : sums[end]!) / this.rule.step) * this.rule.step;
    const cacheRead = shared >= this.minTokens ? shared : 0;
    const cacheWrite = total >= this.minTokens ? total - cacheRead : 0;
    return { input: total - cacheRead - cacheWrite, cacheRead, cacheWrite };
  }

  private marked(
    lines: readonly Line[],
    path: readonly Prefix[],
    sums: readonly number[],
    blocks: readonly number[],
    time: number,
  ): PromptTokens {
    const total = sums.at(-1)!;
    const marks = this.marksOf(lines, path).filter((mark) => sums[mark]! >= this.minTokens);
    this.newest = path.at(-1);
    if (marks.length === 0) return { input: total, cacheRead: 0, cacheWrite: 0 };
    const { lookback = Number.POSITIVE_INFINITY } = this.rule;
    let read = -1;
    for (const mark of marks) {
      let at = mark;
      while (at > read && blocks[mark]! - blocks[at]! <= lookback && !this.isAlive(path[at]!.cached, time)) at -= 1;
      if (at > read && blocks[mark]! - blocks[at]! <= lookback) read = at;
    }
    const cacheRead = read < 0 ? 0 : sums[read]!;
    const last = Math.max(...marks);
    // A hit refreshes everything in it.
    for (const prefix of path.slice(0, read + 1)) if (this.isAlive(prefix.cached, time)) prefix.cached = time;
    for (const mark of marks) path[mark]!.cached = time;
    return { input: total - sums[last]!, cacheRead, cacheWrite: sums[last]! - cacheRead };
  }

  /** Returns the lengths of the prefixes with a mark: the places of `placeMarks`. */
  private marksOf(lines: readonly Line[], path: readonly Prefix[]): number[] {
    const first = lines.findIndex(({ kind }) => kind !== "system");
    const frame = first < 0 ? lines.length : first;
    const previous = this.newest ? path.indexOf(this.newest) : -1;
    const summary = lines.findLastIndex(({ kind }) => kind === "summary");
    const landmark = summary >= 0 ? summary : lines.findLastIndex(({ kind }) => kind === "user");
    const marks = [frame, lines.length, previous, landmark + 1];
    return [...new Set(marks.filter((mark) => mark >= 0))].sort((a, b) => a - b);
  }

  private isAlive(since: number, time: number): boolean {
    return time - since <= this.lifetimeMs;
  }
}
