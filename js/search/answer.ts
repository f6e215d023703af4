/** Answers a query by words, and takes hits until the budget is full. */

import { needFunction, needSignal } from "../checks.ts";
import { badOption, EspalierError } from "../errors.ts";
import { call } from "../engine.ts";
import { known } from "../options/known.ts";
import { SEARCH } from "../options/names.ts";
import { workspace } from "../workspace/wasm.ts";
import type { Chunk } from "./held.ts";
import type { LocalIndex, PathFilter } from "./local.ts";
import type { SearchAnswer, SearchHit, SearchOptions } from "./types.ts";

export async function answer(index: LocalIndex, query: string, options: SearchOptions, pathFilter?: PathFilter): Promise<SearchAnswer> {
  if (typeof query !== "string") throw new EspalierError({ code: "bad_input", message: "query must be a text", path: "query" });
  const { budget = 32_000, maxResults = 128, contributions, filter, signal } = known(options, SEARCH);
  needSignal(signal);
  needFunction(filter, "filter");
  if (contributions !== undefined && typeof contributions !== "boolean") throw badOption("contributions", "true or false", contributions);
  if (!Number.isSafeInteger(maxResults) || maxResults < 0) throw badOption("maxResults", "a whole number", maxResults);
  if (!Number.isSafeInteger(budget) || budget < 0) throw badOption("budget", "a whole number of tokens", budget);
  const start = performance.now();
  let chunks: Chunk[] = [];
  const texts = new Map<string, string | undefined>();
  for (let round = 0; round < 3; round += 1) {
    chunks = await index.lexical(query, { maxResults, contributions, filter: pathFilter ?? (filter && ((paths) => paths.map(filter))) });
    let isStale = false;
    for (const { path, version } of chunks) {
      if (texts.has(path)) continue;
      const read = await index.textOf(path, signal);
      texts.set(path, read?.text);
      isStale ||= read?.version !== version;
    }
    if (!isStale) break;
  }
  const hits: SearchHit[] = [];
  const leftOut: SearchAnswer["leftOut"] = [];
  let tokens = 0;
  for (const { path, start: from, end, firstLine, lastLine, score, header, terms } of chunks) {
    const whole = texts.get(path);
    const text = whole?.slice(from, end).replace(/\s+$/, "");
    const count = text === undefined ? 0 : call(() => workspace().count(text, index.encoding));
    if (text === undefined || tokens + count > budget) {
      leftOut.push({ path, firstLine, lastLine, why: text === undefined ? "gone" : "budget" });
      continue;
    }
    tokens += count;
    hits.push({ path, start: from, end: from + text.length, firstLine, lastLine, text, tokens: count, score, rank: hits.length, header, isCut: false, ...(terms && { terms }) });
  }
  const endMs = performance.now() - start;
  return { query, strategy: "lexical", hits, tokens, tried: [{ strategy: "lexical", outcome: "won", startMs: 0, endMs }], leftOut, state: index.stateNow() };
}
