/** Carries out the effects of a search with the index or the host's callbacks, and checks their answers. */

import type { CarryOut, ScoredHit, SearchReply } from "./drive.ts";
import type { SearchEffect } from "../types/generated/search.ts";
import { fromChunk } from "./found.ts";
import type { Found, FoundHits } from "./found.ts";
import type { Chunk } from "./held.ts";
import type { LocalIndex, PathFilter } from "./local.ts";
import type { Keyword, SearchAnswer, SearchOptions } from "./types.ts";

/** The part of an index that a search uses. */
export type SearchedIndex = Pick<
  LocalIndex,
  | "stateNow"
  | "hasEmbeddings"
  | "wholeSize"
  | "paths"
  | "chunksOf"
  | "lexical"
  | "embedQuery"
  | "nearest"
  | "textOf"
  | "profile"
  | "encoding"
>;

export interface Search {
  index: SearchedIndex;
  query: string;
  options: SearchOptions;
  filter: PathFilter | undefined;
  found: FoundHits;
  leftOut: SearchAnswer["leftOut"];
  /** Returns the tokens of whole files in rendered form. */
  wholeTokens: (numbers: readonly number[]) => number;
}

/**
 * Max files that are read at the same time. Each read listens to the signal, and Node warns of more than ten listeners.
 */
const READS = 8;

export function carryOut(search: Search): CarryOut {
  return async (effect, signal) => {
    switch (effect.type) {
      case "readWorkspace":
        return readWorkspace(search, signal);
      case "remote":
        return remote(search, effect.maxResults, signal);
      case "embed":
        await search.index.embedQuery(search.query, signal);
        return { type: "done" };
      case "nearest":
        return chunks(
          search,
          await search.index.nearest(search.query, { maxResults: effect.maxResults, filter: search.filter, signal }),
        );
      case "keywords":
        return keywords(search, signal);
      case "lexical":
        return lexical(search, effect);
      case "read":
        return read(search, effect.hits, signal);
      case "rerank":
        return rerank(search, effect.hits, signal);
    }
  };
}

function chunks({ found }: Search, chunks: readonly Chunk[]): SearchReply {
  return { type: "hits", hits: chunks.map((chunk) => ({ hit: found.add(fromChunk(chunk)), score: chunk.score })) };
}

async function lexical(
  search: Search,
  { query, maxResults }: SearchEffect & { type: "lexical" },
): Promise<SearchReply> {
  const { index, filter, options } = search;
  return chunks(search, await index.lexical(query, { maxResults, contributions: options.contributions, filter }));
}

/** Returns the paths that pass the filter. */
export async function filterPaths(
  paths: readonly string[],
  filter: PathFilter | undefined,
): Promise<readonly string[]> {
  if (!filter || paths.length === 0) return paths;
  const passes = await filter(paths);
  return paths.filter((_, at) => passes[at] === true);
}

/** Reads all files, those with words of the query first. */
async function readWorkspace(search: Search, signal: AbortSignal): Promise<SearchReply> {
  const { index, found, filter, query, options } = search;
  const paths = await filterPaths(index.paths(), filter);
  await readTexts(search, paths, signal);
  const best = new Map<string, Chunk>();
  for (const chunk of await index.lexical(query, {
    maxResults: MANY,
    contributions: options.contributions,
    filter,
  })) {
    if (!best.has(chunk.path)) best.set(chunk.path, chunk);
  }
  const hits: ScoredHit[] = [];
  for (const path of new Set([...best.keys(), ...paths])) {
    const text = found.texts.get(path);
    const { score = 0, terms } = best.get(path) ?? {};
    if (text !== undefined && text.trim() !== "")
      hits.push({ hit: found.add({ ...PLACE, path, end: text.length, terms }), score });
  }
  return { type: "whole", hits, tokens: search.wholeTokens(hits.map(({ hit }) => hit)) };
}

/** More chunks than any workspace that is returned whole. */
const MANY = 1_000_000;
const PLACE = { start: 0, firstLine: 0, lastLine: 0, header: "", score: undefined };

async function remote(search: Search, maxResults: number, signal: AbortSignal): Promise<SearchReply> {
  const { index, query, options, found, filter, leftOut } = search;
  const given: unknown = await options.remote!(query, { signal, maxResults });
  signal.throwIfAborted();
  if (!Array.isArray(given)) return failed("remote must return a list of hits");
  const wellFormed = given.map(readRemote).filter((hit) => hit !== undefined);
  if (wellFormed.length === 0 && given.length > 0) return failed("remote must return hits with path, start and end");
  const paths = [...new Set(wellFormed.map(({ path }) => path))];
  const passed = new Set(await filterPaths(paths, filter));
  signal.throwIfAborted();
  const known = new Map(paths.filter((path) => passed.has(path)).map((path) => [path, index.chunksOf(path)]));
  const hits: ScoredHit[] = [];
  for (const hit of wellFormed) {
    if (hits.length >= maxResults) break;
    if (!passed.has(hit.path)) continue;
    const chunks = known.get(hit.path)!;
    if (chunks.length === 0) {
      leftOut.push({ path: hit.path, firstLine: 0, lastLine: 0, why: "unknown" });
      continue;
    }
    const header = chunks.find(({ end }) => hit.start < end)?.header ?? "";
    hits.push({ hit: found.add({ ...hit, header }), score: hit.score });
  }
  if (hits.length === 0 && wellFormed.length > 0 && passed.size > 0)
    return failed("no hit of remote is in a file of the index");
  return { type: "hits", hits };
}

function readRemote(given: unknown): Found | undefined {
  const { path, start, end, score } = (typeof given === "object" && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  const isOffset = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (typeof path !== "string" || !isOffset(start) || !isOffset(end) || start >= end) return undefined;
  return {
    ...PLACE,
    path,
    start,
    end,
    score: typeof score === "number" && Number.isFinite(score) ? score : undefined,
  };
}

async function keywords({ query, options }: Search, signal: AbortSignal): Promise<SearchReply> {
  const given: unknown = await options.keywords!(query, { signal });
  const wrong = failed("keywords must return a list of texts or of { keyword, variations }");
  if (!Array.isArray(given)) return wrong;
  const keywords: { keyword: string; variations: readonly string[] }[] = [];
  for (const item of given as readonly Keyword[]) {
    const { keyword, variations = [] } = (typeof item === "string" ? { keyword: item } : (item ?? {})) as Partial<
      Exclude<Keyword, string>
    >;
    if (
      typeof keyword !== "string" ||
      !Array.isArray(variations) ||
      !variations.every((one) => typeof one === "string")
    )
      return wrong;
    keywords.push({ keyword, variations });
  }
  return { type: "keywords", keywords };
}

async function read(search: Search, numbers: readonly number[], signal: AbortSignal): Promise<SearchReply> {
  const { found, index } = search;
  const byPath = new Map<string, number[]>();
  for (const number of numbers) {
    const { path } = found.get(number);
    byPath.set(path, [...(byPath.get(path) ?? []), number]);
  }
  await readTexts(search, [...byPath.keys()], signal, (path, version) => {
    const of = byPath.get(path)!;
    const isStale = of.some((number) => ![undefined, version].includes(found.get(number).version));
    if (isStale) found.move(path, of, index.chunksOf(path));
  });
  return { type: "read", missing: numbers.filter((number) => found.texts.get(found.get(number).path) === undefined) };
}

/** Reads files, several at the same time. A file that cannot be read has no text. */
async function readTexts(
  { index, found }: Search,
  paths: readonly string[],
  signal: AbortSignal,
  done: (path: string, version: string) => void = () => {},
): Promise<void> {
  const left = paths.values();
  const work = async () => {
    for (const path of left) {
      if (signal.aborted) return;
      try {
        const file = await index.textOf(path, signal);
        // The search continued without this read after an abort.
        if (signal.aborted) return;
        found.texts.set(path, file?.text);
        if (file) done(path, file.version);
      } catch {
        if (signal.aborted) return;
        found.texts.set(path, undefined);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(READS, paths.length) }, work));
}

async function rerank(
  { query, options, found }: Search,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<SearchReply> {
  // The places of chunks whose text is available.
  const places = numbers.flatMap((number, place) => (found.textOf(number) === undefined ? [] : [place]));
  const chunks = places.map((place) => ({
    path: found.get(numbers[place]!).path,
    text: found.textOf(numbers[place]!)!,
  }));
  const given: unknown = await options.rerank!(query, chunks, { signal });
  if (!Array.isArray(given) || !given.every((index) => typeof index === "number"))
    return failed("rerank must return a list of indexes");
  return { type: "order", order: given.map((index: number) => places[index] ?? -1) };
}

function failed(reason: string): SearchReply {
  return { type: "failed", reason };
}
