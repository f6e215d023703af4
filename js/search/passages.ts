/** Makes the hits of an answer: the core joins, counts and cuts ranges; the host summarises large ones. */

import { call } from "../engine/engine.ts";
import { callWithTimeout } from "../engine/drive.ts";
import { EspalierError } from "../errors/errors.ts";
import type { Clock } from "../providers/types.ts";
import { workspace } from "../engine/workspace.ts";
import type { WorkspaceWasm } from "../engine/workspace.ts";
import type { FoundHits } from "./found.ts";
import type { Filled } from "../types/generated/search.ts";
import type { Attempted, SearchAnswer, SearchHit, SearchOptions } from "./types.ts";

export interface Ranked {
  hit: number;
  score: number;
}

type Handle = InstanceType<WorkspaceWasm["Filling"]>;

/** The core's half: hits whose text is available, in rank order. */
class Filling {
  readonly hits: readonly Ranked[];
  readonly paths: string[] = [];
  private readonly handle: Handle;

  constructor(found: FoundHits, hits: readonly Ranked[], budget: number, hitShare: number, encoding: string) {
    this.hits = hits;
    const files = new Map<string, number>();
    const places: number[] = [];
    const ranges: [number, number][] = [];
    for (const { hit } of hits) {
      const { path, start, end } = found.get(hit);
      if (!files.has(path)) files.set(path, this.paths.push(path) - 1);
      // The engine takes 32 bits.
      const [file, from, to] = [files.get(path)!, Math.min(start, LAST), Math.min(end, LAST)];
      places.push(file, from, to);
      const [first, last] = ranges[file] ?? [from, to];
      ranges[file] = [Math.min(first, from), Math.max(last, to)];
    }
    const windows = this.paths.map((path, file) => windowOf(found.texts.get(path)!, ranges[file]!));
    const scores = Float64Array.from(hits, ({ score }) => score);
    const made = workspace();
    this.handle = call(
      () =>
        new made.Filling(
          this.paths,
          windows.map(({ text }) => text),
          Uint32Array.from(windows.flatMap(({ offset, line }) => [offset, line])),
          Uint32Array.from(places),
          scores,
          budget,
          hitShare,
          encoding,
        ),
    );
  }

  large(): { hit: number; budget: number }[] {
    return JSON.parse(call(() => this.handle.large())) as { hit: number; budget: number }[];
  }

  fill(summaries: ReadonlyMap<number, string> = new Map()): Filled {
    return JSON.parse(
      call(() => this.handle.fill(Uint32Array.from(summaries.keys()), [...summaries.values()])),
    ) as Filled;
  }

  free(): void {
    this.handle.free();
  }
}

const LAST = 2 ** 32 - 1;

/** Returns the whole lines of a file around a range: other lines need not cross into the engine. */
function windowOf(
  text: string,
  [start, end]: readonly [number, number],
): { text: string; offset: number; line: number } {
  const offset = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const behind = text.indexOf("\n", end);
  let line = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return { text: text.slice(offset, behind < 0 ? text.length : behind + 1), offset, line };
}

/** Returns the tokens of all hits in rendered form. */
export function renderedTokens(found: FoundHits, numbers: readonly number[], encoding: string): number {
  const filling = new Filling(
    found,
    numbers.map((hit) => ({ hit, score: 0 })),
    Number.MAX_SAFE_INTEGER,
    1,
    encoding,
  );
  try {
    return filling.fill().tokens;
  } finally {
    filling.free();
  }
}

/** Returns the passages that fit the budget. Adds summaries to `tried`, if there are any. */
export async function passages(
  found: FoundHits,
  hits: readonly Ranked[],
  options: SearchOptions & { budget: number },
  encoding: string,
  tried: Attempted[],
  elapsed: () => number,
  clock: Pick<Clock, "after">,
): Promise<Pick<SearchAnswer, "hits" | "tokens" | "leftOut">> {
  const filling = new Filling(found, hits, options.budget, options.hitShare ?? 0.5, encoding);
  try {
    const large = options.summarize ? filling.large() : [];
    const summaries =
      large.length > 0 ? await summarized(filling, found, large, options, tried, elapsed, clock) : undefined;
    const filled = filling.fill(summaries);
    const numberOf = (at: number) => hits[at]!.hit;
    const made = filled.passages.map((passage, rank): SearchHit => {
      const { start, end, firstLine, lastLine, tokens, score, isCut, rendered, summary } = passage;
      const path = filling.paths[passage.file]!;
      const of = passage.hits.map((at) => found.get(numberOf(at)));
      const first = of.reduce((one, other) => (other.start < one.start ? other : one));
      const text = summary === undefined ? found.texts.get(path)!.slice(start, end) : summaries!.get(summary)!;
      const terms = of[0]?.terms;
      return {
        path,
        start,
        end,
        firstLine,
        lastLine,
        text,
        rendered,
        tokens,
        score,
        rank,
        header: first.header,
        ...(terms && { terms }),
        isCut,
      };
    });
    const leftOut = filled.leftOut.map(({ hit, ...why }) => ({ path: found.get(numberOf(hit)).path, ...why }));
    return { hits: made, tokens: filled.tokens, leftOut };
  } finally {
    filling.free();
  }
}

/** Returns summaries of large hits by their index. A failed one is left out: the hit is then cut between lines. */
async function summarized(
  filling: Filling,
  found: FoundHits,
  large: readonly { hit: number; budget: number }[],
  options: SearchOptions,
  tried: Attempted[],
  elapsed: () => number,
  { after }: Pick<Clock, "after">,
): Promise<Map<number, string>> {
  const { summarize, summarizeTimeoutMs = 8_000, signal } = options;
  const startMs = elapsed();
  const reasons = new Set<string>();
  let hasTimedOut = false;
  const make = async ({ hit, budget }: { hit: number; budget: number }): Promise<[number, string][]> => {
    const { path, start, end } = found.get(filling.hits[hit]!.hit);
    const late = `no answer within ${summarizeTimeoutMs} ms`;
    const made = await callWithTimeout<unknown>(
      summarizeTimeoutMs,
      late,
      signal,
      async (own) => ({
        text: (await summarize!(
          { path, text: found.texts.get(path)!, start, end, budget },
          { signal: own },
        )) as unknown,
      }),
      after,
    );
    const { text, reason, code } = made as { text?: unknown; reason?: string; code?: string };
    if (typeof text === "string" && text.trim() !== "") return [[hit, text]];
    hasTimedOut ||= code === "timeout";
    reasons.add(reason ?? "summarize must return a text");
    return [];
  };
  const made = (await Promise.all(large.map(make))).flat();
  signal?.throwIfAborted();
  const outcome = reasons.size === 0 ? "done" : hasTimedOut ? "timedOut" : "failed";
  tried.push({
    strategy: "summarize",
    outcome,
    startMs,
    endMs: elapsed(),
    ...(reasons.size > 0 && { why: [...reasons].join("; ") }),
  });
  return new Map(made);
}

/**
 * Joins hits for a prompt: path, lines and text of each in a fence, the most relevant last. Its tokens are those of the
 * answer.
 *
 * ```ts
 * import { openIndex, renderHits } from "espalier/search";
 *
 * const index = await openIndex();
 * await index.put([{ path: "src/retry.ts", text: "export const times = 3;\n" }]);
 * const { hits } = await index.search("how many times?");
 * renderHits(hits); // => "`src/retry.ts`, line 1\n```ts\nexport const times = 3;\n```\n"
 * ```
 *
 * @throws EspalierError `bad_input` if `hits` is not a list of hits
 */
export function renderHits(hits: readonly Pick<SearchHit, "rendered">[]): string {
  if (!Array.isArray(hits) || !hits.every((hit: unknown) => typeof (hit as SearchHit | null)?.rendered === "string")) {
    throw new EspalierError({ code: "bad_input", message: "hits must be the hits of a search", path: "hits" });
  }
  return hits
    .map(({ rendered }) => rendered)
    .reverse()
    .join("");
}
