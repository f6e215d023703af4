/** Shows on the page of a search: the state of the index, the tried strategies, and the skipped files. */

import type { Attempted, IndexProgress, SearchAnswer, Strategy } from "../js/search/types.ts";
import { element, made, milliseconds, number } from "./dom.ts";
import { placeOf } from "./hit-list.ts";
import { byReason } from "./workspace.ts";
import type { Profile, Progress } from "./workspace.ts";

export const RANKINGS: Record<Profile, string> = { espalier: "BM25", "copilot-chat": "TF-IDF" };

export const plural = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

const PHASES: Record<IndexProgress["phase"], string> = {
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

/** Shows the card of totals for an answer. */
export function showAnswer(answer: SearchAnswer, profile: Profile, budget: number, ms: number): void {
  const { hits, tokens, strategy } = answer;
  element("hit-count").textContent = number(hits.length);
  element("hit-tokens").textContent = number(tokens);
  const ranked = strategy === "lexical" ? `, ranked by ${RANKINGS[profile]}` : "";
  const what =
    hits.length === 0
      ? "No hits"
      : `${plural(hits.length, "hit")} in ${plural(new Set(hits.map(({ path }) => path)).size, "file")}`;
  element("status").textContent = `${what} in ${milliseconds(ms)}. Strategy: ${STRATEGIES[strategy]}${ranked}.`;
  element("tried").textContent = triedText(answer.tried);
  meter(tokens, budget);
}

/** Shows the card before any search. */
export function showNoAnswer(): void {
  element("hit-count").textContent = element("hit-tokens").textContent = "…";
  element("status").textContent = "Type a question, or words.";
  element("tried").textContent = "";
  meter(0, 1);
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

function triedText(tried: readonly Attempted[]): string {
  const each = tried.flatMap(({ strategy, outcome, why, startMs, endMs }) => {
    // The page has none of the callbacks that they need.
    if (outcome === "skipped") return [];
    return `${NAMES[strategy]} ${OUTCOMES[outcome]} (${milliseconds(endMs - startMs)})${why ? `: ${why}` : ""}`;
  });
  return each.length === 0 ? "" : `Tried: ${each.join("; ")}.`;
}

function meter(tokens: number, budget: number): void {
  const filled = made("i", "conversation");
  filled.style.width = `${(100 * tokens) / Math.max(budget, tokens, 1)}%`;
  const box = element("meter");
  box.replaceChildren(filled);
  box.ariaLabel = box.title = `${number(tokens)} tokens of a budget of ${number(budget)}`;
}

/** Shows the line under the totals: the progress and the content of the index. */
export function showIndex({ state, working, report, ms, error }: Progress): void {
  const bar = element<HTMLProgressElement>("progress");
  bar.hidden = !working || error !== undefined;
  if (working) {
    const { phase, done, total } = working;
    if (total) [bar.max, bar.value] = [total, done];
    else bar.removeAttribute("value");
    bar.ariaLabel = PHASES[phase];
  }
  const parts = working
    ? [`${PHASES[working.phase]}: ${number(working.done)}${working.total ? ` of ${number(working.total)}` : ""}.`]
    : [];
  if (state && !working) {
    parts.push(
      `${plural(state.files, "file")}, ${plural(state.chunks, "chunk")}, ${plural(state.terms, "word")}; ${(state.memory / 1e6).toFixed(1)} MB of memory.`,
    );
  }
  if (report && ms !== undefined && !working) parts.push(came(report, ms));
  if (error !== undefined) parts.push(`The index is not complete: ${(error as Error).message}`);
  element("state").textContent = parts.join(" ");
}

function came({ added, changed, unchanged, removed }: NonNullable<Progress["report"]>, ms: number): string {
  const counts = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
    [unchanged, "as stored"],
  ] as const;
  const said = counts.flatMap(([count, what]) => (count > 0 ? [`${number(count)} ${what}`] : []));
  return `${said.length > 0 ? said.join(", ") : "No files"}, in ${milliseconds(ms)}.`;
}

const REASONS: Record<string, string> = {
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

/** Max files of a reason that are named. */
const NAMED = 100;

/** Shows failures after which the index continued, newest first. */
export function showWarnings({ state }: Progress): void {
  const warnings = state?.warnings ?? [];
  element("warnings-card").hidden = warnings.length === 0;
  element("warnings-title").textContent = `Warnings (${number(warnings.length)})`;
  element("warnings").replaceChildren(
    ...warnings.toReversed().map(({ code, message }) => made("li", "", `${message} [${code}]`)),
  );
}

export function showSkipped({ report, state }: Progress): void {
  const notes = report?.notes ?? [];
  const counts = state?.skipped ?? {};
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  element("skipped-card").hidden = total === 0 && notes.length === 0;
  element("skipped-title").textContent =
    `Not searched (${plural(Math.max(total, notes.length), "file or folder", "files and folders")})`;
  element("skipped").replaceChildren(
    ...byReason(notes).flatMap(([reason, group]) => {
      const list = made("ul", "plain");
      list.append(
        ...group.slice(0, NAMED).map(({ path, detail }) => made("li", "", detail ? `${path} (${detail})` : path)),
      );
      const count = Math.max(counts[reason] ?? 0, group.length);
      if (count > NAMED) list.append(made("li", "", `and ${number(count - Math.min(NAMED, group.length))} more`));
      return [made("h3", "", `${REASONS[reason] ?? reason}: ${number(count)}`), list];
    }),
  );
}

const WHY = {
  budget: "no room in the budget",
  gone: "the file is gone",
  spread: "score too far below the best",
  unknown: "not in the index",
  range: "not in the file",
};

export function showLeftOut(leftOut: SearchAnswer["leftOut"]): void {
  element("left-out-card").hidden = leftOut.length === 0;
  element("left-out-title").textContent = `Hits left out (${number(leftOut.length)})`;
  element("left-out").replaceChildren(
    ...leftOut.slice(0, 2 * NAMED).map((hit) => made("li", "", `${placeOf(hit)}: ${WHY[hit.why]}`)),
  );
}
