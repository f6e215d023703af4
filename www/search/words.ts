/** Searches in words: the state of the index, the tried strategies, the skipped files. */

import type { Attempted, FileNote, IndexProgress, SearchAnswer, SearchHit, Strategy } from "../../js/search/types.ts";
import type { Profile } from "../app/knobs.tsx";
import { milliseconds } from "../app/time.ts";
import { count, number } from "../conversation/words.ts";
import type { Found, Progress } from "./protocol.ts";

export const RANKINGS: Record<Profile, string> = { espalier: "BM25", "copilot-chat": "TF-IDF" };

export const PHASES: Record<IndexProgress["phase"], string> = {
  load: "Loading the stored index",
  list: "Listing files",
  index: "Indexing files",
  embed: "Embedding chunks",
  save: "Storing the index",
};

const STRATEGIES: Record<Strategy | "none", string> = {
  fullWorkspace: "the whole workspace, since it is small",
  remote: "a remote search",
  embeddings: "embeddings",
  lexical: "words",
  fused: "embeddings and words",
  none: "nothing",
};

export const placeOf = ({ path, firstLine, lastLine }: Pick<SearchHit, "path" | "firstLine" | "lastLine">) =>
  `${path}:${firstLine + 1}${lastLine > firstLine ? `-${lastLine + 1}` : ""}`;

/** Returns how the hits were found. */
export function outcomeOf({ answer, wanted, ms }: Found): string {
  if (!answer) return "Type a question, or words.";
  const { hits, strategy } = answer;
  const ranked = strategy === "lexical" ? `, ranked by ${RANKINGS[wanted.profile]}` : "";
  const what =
    hits.length === 0
      ? "No hits"
      : `${count(hits.length, "hit")} in ${count(new Set(hits.map(({ path }) => path)).size, "file")}`;
  return `${what} in ${milliseconds(ms)}. Strategy: ${STRATEGIES[strategy]}${ranked}.`;
}

const OUTCOMES: Record<Exclude<Attempted["outcome"], "skipped">, string> = {
  won: "answered",
  done: "was done",
  failed: "failed",
  timedOut: "ran out of time",
  cancelled: "was cancelled",
};

const NAMES: Record<Attempted["strategy"], string> = {
  fullWorkspace: "the whole workspace",
  remote: "remote search",
  embeddings: "embeddings",
  lexical: "words",
  keywords: "keywords",
  read: "reading the hits",
  rerank: "reranking",
  summarize: "summarising large hits",
};

export function triedOf(tried: readonly Attempted[]): string {
  const each = tried.flatMap(({ strategy, outcome, why, startMs, endMs }) => {
    // The page has none of the callbacks that they need.
    if (outcome === "skipped") return [];
    return `${NAMES[strategy]} ${OUTCOMES[outcome]} (${milliseconds(endMs - startMs)})${why ? `: ${why}` : ""}`;
  });
  return each.length === 0 ? "" : `Tried: ${each.join("; ")}.`;
}

/** Returns the progress and the content of the index. */
export function stateOf({ state, working, report, ms, error }: Progress): string {
  const parts = working
    ? [`${PHASES[working.phase]}: ${number(working.done)}${working.total ? ` of ${number(working.total)}` : ""}.`]
    : [];
  if (state && !working)
    parts.push(
      `${count(state.files, "file")}, ${count(state.chunks, "chunk")}, ${count(state.terms, "word")}; ${(state.memory / 1e6).toFixed(1)} MB of memory.`,
    );
  if (report && ms !== undefined && !working) parts.push(came(report, ms));
  if (error !== undefined) parts.push(`The index is not complete: ${error}`);
  return parts.join(" ");
}

function came({ added, changed, unchanged, removed }: NonNullable<Progress["report"]>, ms: number): string {
  const counts = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
    [unchanged, "as stored"],
  ] as const;
  const said = counts.flatMap(([files, what]) => (files > 0 ? [`${number(files)} ${what}`] : []));
  return `${said.length > 0 ? said.join(", ") : "No files"}, in ${milliseconds(ms)}.`;
}

export const SKIPPED: Record<string, string> = {
  ignored: "ignored by a rule",
  binary: "binary",
  tooLarge: "too large",
  minified: "minified",
  encoding: "not UTF-8",
  unreadable: "cannot be read",
  gone: "deleted while it was read",
  loop: "a link to a folder above it",
  duplicate: "a path that was already listed",
  refused: "refused by the index",
};

/** Why a hit is left out. */
export const LEFT_OUT: Record<SearchAnswer["leftOut"][number]["why"], string> = {
  budget: "no room in the budget",
  gone: "the file is gone",
  spread: "score too far below the best",
  unknown: "not in the index",
  range: "not in the file",
};

/** Returns notes by reason, the most frequent one first. */
export function byReason(notes: readonly FileNote[]): [FileNote["reason"], FileNote[]][] {
  const groups = new Map<FileNote["reason"], FileNote[]>();
  for (const note of notes) groups.set(note.reason, [...(groups.get(note.reason) ?? []), note]);
  return [...groups].sort(([, one], [, other]) => other.length - one.length);
}

const overlaps = (one: SearchHit, another: SearchHit) =>
  one.path === another.path && one.firstLine <= another.lastLine && another.firstLine <= one.lastLine;

export const isAmong = (hit: SearchHit, hits: readonly SearchHit[]) => hits.some((other) => overlaps(hit, other));

/** Returns the rank of a hit in the other ranking. */
export function rankIn(hit: SearchHit, hits: readonly SearchHit[], ranking: string): string {
  const at = hits.find((other) => overlaps(hit, other));
  return at ? `${ranking}: ${at.rank + 1}` : `not in ${ranking}`;
}

/** Returns the terms of the hits, the one that contributes most first. */
export function termsOf(hits: readonly SearchHit[]): string[] {
  const sums = new Map<string, number>();
  for (const { terms = [] } of hits) for (const { term, score } of terms) sums.set(term, (sums.get(term) ?? 0) + score);
  return [...sums].sort(([, one], [, other]) => other - one).map(([term]) => term);
}
