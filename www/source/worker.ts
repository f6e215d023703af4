/**
 * The engine's side of the view of a source file: finds the grammar, summarises, outlines, reduces changes. Keeps the
 * open document.
 */

import "../../js/entries/engines/core-web.ts";
import {
  languageOf,
  languages,
  loadGrammar,
  outline,
  parseDiff,
  reduceChanges,
  summarizeDocument,
  summarizeDocumentSync,
} from "../../js/entries/documents.ts";
import { count, EspalierError, init } from "../../js/entries/verbs.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { DocumentSummary } from "../../js/entries/documents.ts";
import type {
  Document,
  Gap,
  GrammarState,
  News,
  Opened,
  Outlined,
  Questions,
  Reduced,
  Summarized,
  Wanted,
} from "./protocol.ts";
import { keepFetched } from "../offline.ts";
import { answering, failed, tell } from "../talk.ts";

let open: (Document & { tokens: number }) | undefined;
let grammar: GrammarState = { state: "none" };
let shown: { summary: DocumentSummary; gaps: Gap[] } | undefined;
/** The ladder of the last requested change. */
let ladder: { diff: string; document: Document; rungs: Reduced["rungs"]; least: number } | undefined;

function current(): Document & { tokens: number } {
  if (!open) throw new EspalierError({ code: "bad_input", message: "No document is open." });
  return open;
}

async function take(document: Document): Promise<Opened> {
  const { encoding } = document;
  await init({ encodings: [encoding] });
  if (!open) void keepFetched();
  const language = document.language ?? languageOf(document.name, document.text);
  open = { ...document, language, tokens: count(document.text, { encoding }) };
  shown = ladder = undefined;
  return { encoding, language, languages: languages(), tokens: open.tokens, grammar: await grammarOf(language) };
}

/** Loaded grammars, by language. */
const arrived = new Map<string, GrammarState>();

/** Max milliseconds to wait for a grammar; until it arrives, folds by indentation are shown. */
const PATIENCE = 500;

async function grammarOf(language: string | undefined): Promise<GrammarState> {
  if (language === undefined || !languages().includes(language)) return (grammar = { state: "none" });
  const before = arrived.get(language);
  if (before) return (grammar = before);
  const started = performance.now();
  const loading = loadGrammar(language).then(
    (): GrammarState => ({ state: "loaded", ms: performance.now() - started, bytes: bytesOf() }),
    (error: unknown): GrammarState => ({ state: "failed", failure: failed(error) }),
  );
  let late = false;
  void loading.then((state) => {
    void keepFetched();
    if (state.state === "loaded") arrived.set(language, state);
    if (!late || open?.language !== language) return;
    grammar = state;
    ladder = undefined;
    tell({ grammar } satisfies News);
  });
  const patience = new Promise<GrammarState>((resolve) =>
    setTimeout(() => ((late = true), resolve({ state: "loading" })), PATIENCE),
  );
  return (grammar = await Promise.race([loading, patience]));
}

/** Returns the size of the grammar that was fetched last. */
function bytesOf(): number {
  const files = performance
    .getEntriesByType("resource")
    .filter(({ name }) => name.includes("/grammars/")) as PerformanceResourceTiming[];
  return files.at(-1)?.decodedBodySize ?? 0;
}

async function summarize(wanted: Wanted): Promise<Summarized> {
  const { text, name, language, encoding } = current();
  const { budget, profile, lineNumbers, marker, selection } = wanted;
  const options = {
    path: name,
    language: language ?? "",
    encoding,
    budget,
    profile,
    lineNumbers,
    marker,
    ...(selection && { selection }),
  };
  const started = performance.now();
  // Synchronous, with the loaded grammars: a grammar that failed to load must not be requested again at every step of a
  // slider.
  const summary =
    profile === "espalier" ? summarizeDocumentSync(text, options) : await summarizeDocument(text, options);
  const ms = performance.now() - started;
  const gaps = gapsOf(summary, lineNumbers);
  shown = { summary, gaps };
  const { basis, tokens } = summary;
  return {
    wanted,
    text: summary.text,
    tokens,
    gaps,
    ms,
    cursor: selection && summary.toSummary(selection[0]),
    basis:
      basis.path === "syntax" ? { path: basis.path, hasErrors: basis.hasErrors } : { path: basis.path, why: basis.why },
  };
}

/**
 * Returns the removed ranges with the places of their markers: the words alone, without line breaks, indentation and
 * the number of the next line.
 */
function gapsOf({ edits, elisions }: DocumentSummary, lineNumbers: boolean): Gap[] {
  let moved = 0;
  let next = 0;
  return elisions.map((elision) => {
    const [start, end] = elision.range;
    for (; next < edits.length && edits[next]!.end <= start && edits[next]!.start < start; next++)
      moved += edits[next]!.text.length - (edits[next]!.end - edits[next]!.start);
    const edit = edits[next];
    if (!edit || edit.start >= end) return { ...elision, marker: [start + moved, start + moved] };
    const words = (lineNumbers ? edit.text.replace(/(^|\n)\s*\d+: $/, "") : edit.text).trimEnd();
    const at = edit.start + moved;
    return { ...elision, marker: [at + words.length - words.trimStart().length, at + words.length] };
  });
}

function place({ at }: { at: number }): { start: number; end: number } {
  if (!shown) return { start: 0, end: 0 };
  const gap = shown.gaps.find(({ marker: [start, end] }) => start <= at && at < end);
  if (gap) return { start: gap.range[0], end: gap.range[1] };
  const start = shown.summary.toDocument(at);
  return { start, end: start };
}

async function outlined(): Promise<Outlined> {
  const { text, name, language, encoding } = current();
  const options = { path: name, language: language ?? "", encoding };
  const { definitions, tokens, basis } = await outline(text, options);
  return { definitions, tokens, folded: basis.path !== "syntax" };
}

/** A diff may contain several files; if it contains one, it applies to this document, whatever its name. */
function fileOf(diff: string, { text, name, language }: Document) {
  const files = parseDiff(diff);
  const path = files.length === 1 ? (files[0]!.path ?? name) : name;
  return { path, text, diff, language: language ?? "" };
}

async function reduce({ diff, budget }: { diff: string; budget: number }): Promise<Reduced> {
  const document = current();
  const file = fileOf(diff, document);
  if (ladder?.diff !== diff || ladder.document !== document)
    ladder = { diff, document, ...(await rungsOf(file, document.encoding)) };
  const { rungs, least } = ladder;
  const path = file.path;
  if (budget < least) return { path, rungs, least };
  const { step, tokens, text, elisions } = (await reduceChanges({ files: [file], budget, encoding: document.encoding }))
    .files[0]!;
  return { path, rungs, least, now: { step, tokens, text, elisions } };
}

/** Goes down the ladder: each time with one token less than the previous step needed. */
async function rungsOf(
  file: ReturnType<typeof fileOf>,
  encoding: EncodingName,
): Promise<Pick<Reduced, "rungs" | "least">> {
  const rungs: Reduced["rungs"] = [];
  for (let budget = Infinity; ; ) {
    try {
      const { step, tokens, elisions } = (await reduceChanges({ files: [file], budget, encoding })).files[0]!;
      // Steps with fewer and fewer lines around the changes share one rung.
      if (rungs.at(-1)?.step !== step) rungs.push({ step, tokens, gaps: elisions.length });
      if (step === "dropped" || tokens === 0) return { rungs, least: 0 };
      budget = tokens - 1;
    } catch (error) {
      if (error instanceof EspalierError && error.code === "budget_exceeded" && Number.isFinite(budget))
        return { rungs, least: budget + 1 };
      throw error;
    }
  }
}

answering<Questions>(
  {
    open: take,
    retry: () => grammarOf(current().language),
    summarize,
    place,
    outline: outlined,
    reduce,
  },
  ["summarize", "reduce"],
);
