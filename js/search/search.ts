/**
 * Answers a query. `drive` runs the core's plan, `carry-out` carries out its effects, `passages` makes hits of the
 * results until the budget is full.
 */

import { EspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { SEARCH } from "../options/schemas/search.ts";
import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";
import { carryOut, filterPaths } from "./carry-out.ts";
import type { SearchedIndex } from "./carry-out.ts";
import { drive } from "./drive.ts";
import { FoundHits } from "./found.ts";
import type { PathFilter } from "./local.ts";
import { passages, renderedTokens } from "./passages.ts";
import type { SearchAnswer, SearchOptions } from "./types.ts";

/**
 * Answers a query over an index. `pathFilter` replaces `options.filter` if the filter runs elsewhere.
 *
 * @throws EspalierError `bad_input`, `bad_option`; `search_failed` if every strategy failed; the signal's reason
 */
export async function search(
  index: SearchedIndex,
  query: string,
  options: SearchOptions = {},
  pathFilter?: PathFilter,
  clock: Pick<Clock, "now" | "after"> = CLOCK,
): Promise<SearchAnswer> {
  if (typeof query !== "string")
    throw new EspalierError({ code: "bad_input", message: "query must be a text", path: "query" });
  const checked = check(options, SEARCH);
  const { budget = 32_000, maxResults = 128, fullWorkspace, signal } = checked;
  const filter = pathFilter ?? (checked.filter && ((paths: readonly string[]) => paths.map(checked.filter!)));
  const limits = fullWorkspace === false ? null : (fullWorkspace ?? { files: 100, tokens: 32_000 });
  const begin = clock.now();
  const elapsed = () => Math.max(0, clock.now() - begin);
  signal?.throwIfAborted();
  const found = new FoundHits();
  const leftOut: SearchAnswer["leftOut"] = [];
  const outcome = await drive(
    {
      query,
      ...(await size(index, limits?.files ?? 0, filter)),
      vectors: index.stateNow().vectors,
      callbacks: {
        remote: checked.remote !== undefined,
        embed: index.hasEmbeddings,
        keywords: checked.keywords !== undefined,
        rerank: checked.rerank !== undefined,
      },
      fullWorkspace: limits,
      budget,
      maxResults,
      maxSpread: checked.maxSpread ?? (index.profile === "copilot-chat" ? 0.75 : null),
      minSimilarityShare: checked.minSimilarityShare ?? 0.65,
      combine: checked.combine ?? "race",
      rrfK: checked.rrfK ?? 60,
      timeouts: {
        remote: checked.remoteTimeoutMs ?? 12_500,
        embeddings: checked.embeddingsTimeoutMs ?? 8_000,
        keywords: checked.keywordsTimeoutMs ?? 8_000,
        rerank: checked.rerankTimeoutMs ?? 8_000,
        read: checked.readTimeoutMs ?? 8_000,
      },
    },
    carryOut({
      index,
      query,
      options: checked,
      filter,
      found,
      leftOut,
      wholeTokens: (numbers) => renderedTokens(found, numbers, index.encoding),
    }),
    signal,
    clock,
  );
  const { tried, failure, words } = outcome;
  if (failure !== undefined)
    throw new EspalierError({
      code: "search_failed",
      message: `Nothing could be searched. ${failure}`,
      details: { tried },
    });
  const without = (number: number, why: "gone" | "spread") => {
    const { path, firstLine, lastLine } = found.get(number);
    leftOut.push({ path, firstLine, lastLine, why });
  };
  const isWhole = outcome.strategy === "fullWorkspace";
  for (const [path, text] of isWhole ? found.texts : [])
    if (text === undefined) leftOut.push({ path, firstLine: 0, lastLine: 0, why: "gone" });
  for (const number of outcome.spread) without(number, "spread");
  for (const number of outcome.missing) without(number, "gone");
  const hits = outcome.hits.filter(({ hit }) => {
    const isThere = found.textOf(hit) !== undefined;
    if (!isThere) without(hit, "gone");
    return isThere;
  });
  const filled = await passages(found, hits, { ...checked, budget }, index.encoding, tried, elapsed, clock);
  return {
    query,
    strategy: hits.length === 0 ? "none" : (outcome.strategy ?? "none"),
    hits: filled.hits,
    tokens: filled.tokens,
    ...(words !== undefined && { words }),
    tried,
    leftOut: [...leftOut, ...filled.leftOut],
    state: index.stateNow(),
  };
}

/** Returns the number of files that pass the filter, and their tokens. Only small workspaces are examined. */
async function size(
  index: SearchedIndex,
  max: number,
  filter: PathFilter | undefined,
): Promise<{ files: number; tokens: number }> {
  const { files } = index.stateNow();
  if (files >= max) return { files, tokens: 0 };
  const paths = filter && (await filterPaths(index.paths(), filter).catch(() => undefined));
  // A failing filter fails again at a place that reports its reason.
  if (!paths) return index.wholeSize(max);
  const tokens = paths.flatMap((path) => index.chunksOf(path)).reduce((sum, chunk) => sum + chunk.tokens, 0);
  return { files: paths.length, tokens };
}
