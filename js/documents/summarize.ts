/**
 * Summaries of documents: cut down to an exact budget while they still read as code. What `core/src/document/summary` does;
 * here options are checked, grammars found, and edits applied to the host's own strings, so that what was kept is what
 * it was, lone surrogates included.
 */

import { call, ready, wasm } from "../engine/engine.ts";
import { badInput, badOption, coded, EspalierError } from "../errors/errors.ts";
import { countText } from "../tokens/texts.ts";
import { languageFor, link, prepare, settingsOf } from "./structure.ts";
import type { Basis, DocumentOptions } from "./structure.ts";
import type { EncodingName } from "../types/count.ts";
import { ensureEncoding, loadNeeded } from "../engine/vocabulary.ts";
import { compatibleSummaries } from "./compatible.ts";
import type { CompatibleDocument, CompatibleSwitches } from "./compatible.ts";
import { surviving } from "./surviving.ts";
import { put } from "./costs.ts";
import type { Costs } from "./costs.ts";
import { rebaseEdits } from "./rebase.ts";
import type { Rebased } from "./rebase.ts";
import { Question } from "./tape.ts";
import type { Answer } from "./tape.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { DOCUMENTS, SUMMARY, SUMMARY_DOCUMENT } from "../options/schemas/documents.ts";

/** What is said of one document. */
export interface SummaryDocument extends Pick<DocumentOptions, "language" | "path" | "tabSize" | "limits" | "tree"> {
  /** What is selected: start and end in UTF-16 code units, or a cursor. It stays, and what is near it comes first. */
  selection?: number | readonly [start: number, end: number];
  /**
   * Costs of nodes by their kind, as `documentStructure` names them; they replace the usual ones (0 and little more:
   * what is outermost, or near the selection). The cheapest come first. `false` is never kept unless it is selected,
   * even where there is room, nor is anything in it.
   *
   * ```ts
   * import { summarizeDocument } from "espalier/documents";
   *
   * const text = "import { a } from './a';\n// Says hello.\nfunction hello() {\n  a();\n}\n";
   * const costs = { import_statement: 0, comment: false } as const;
   * const summary = await summarizeDocument(text, { path: "hello.ts", budget: 1_000, costs });
   * summary.text.includes("Says hello"); // => false
   * ```
   *
   * A function says it of each node, which it is given with its usual cost; all of them are asked for, parents first.
   *
   * ```ts
   * import { summarizeDocument } from "espalier/documents";
   *
   * const functions = Array.from({ length: 50 }, (_, at) => `function f${at}() {\n  return ${at};\n}\n`);
   * const text = [...functions, "// TODO: remove\n"].join("\n");
   * const summary = await summarizeDocument(text, {
   *   path: "f.ts",
   *   budget: 100,
   *   costs: ({ start, end }, cost) => (text.slice(start, end).includes("TODO") ? 0 : cost),
   * });
   * summary.text.includes("TODO"); // => true
   * ```
   */
  costs?: Costs;
  /** How comments of the language look, for languages that we do not know: markers are comments. */
  comments?: { line: string } | { block: readonly [open: string, close: string] };
}

/** What is said of all documents together. */
export interface SummaryOptions {
  /**
   * Maximum tokens of all summaries together, markers and line numbers included: 0 or more. A fraction of a token holds
   * nothing; `Infinity` keeps every document whole.
   */
  budget: number;
  /** What the budget is in. Default `tokens`; `characters` are UTF-16 code units. */
  unit?: "tokens" | "characters";
  /** Wins over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /** A model name; picks the encoding. */
  model?: string;
  /** Begin each line with its number in the document. Markers have none: they name their lines. Default false. */
  lineNumbers?: boolean;
  /** The words of a marker, with `{lines}` where the lines go. Default `… {lines} omitted`. */
  marker?: string;
  /** Whether imports come before or after everything else. Default `usual`: what their place makes them worth. */
  imports?: "usual" | "first" | "last";
  /**
   * `compatible` cuts to the letter as Copilot Chat does: most of what is missing has no marker, and what is selected
   * stays whatever the budget is. It takes a token for four characters; `marker`, `imports` and `comments` do not count
   * then. See `compatible`, too.
   */
  mode?: "default" | "compatible";
  /**
   * What else Copilot Chat's callers choose; with the mode `compatible` only. With `attached` nodes cost what they do
   * in files that a user attached, if the document has no costs of its own: imports come last, in TypeScript public
   * things before private ones.
   */
  compatible?: CompatibleSwitches & { attached?: boolean };
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

/** What is missing at one place. */
export interface Elision {
  /** Where it is in the document, in UTF-16 code units: `text.slice(...range)` gives it back. */
  range: [start: number, end: number];
  /** Its lines, as the marker names them: both included, from 1. */
  lines: [first: number, last: number];
  /** Tokens (or characters) of what is missing. */
  tokens: number;
  /** Kind of what is missing, as the structure names it; of the first of several. Empty in the compatible mode. */
  kind: string;
  /** The definition that is missing, if it is one; `names` has all that are missing whole, at most twenty. */
  name?: string;
  names: string[];
  /** What to ask for to get it back: `path#L12-L48`. */
  handle: string;
}

/** A stretch of the document and what stands in its place. */
export interface SummaryEdit {
  start: number;
  end: number;
  text: string;
}

/** What a document lost. */
export interface Loss {
  /** Which document: its place in the list, and its path if it has one. */
  document: number;
  path?: string;
  /** Lines and tokens (or characters) that are missing. */
  lines: number;
  tokens: number;
  /** Names of the definitions that are missing whole. */
  names: string[];
}

/** Summaries of several documents, in their order. */
export interface Summaries {
  summaries: DocumentSummary[];
  /** What they count together. */
  tokens: number;
  /** The documents that are not whole. */
  lost: Loss[];
}

type SummaryFields = Pick<DocumentSummary, "text" | "tokens" | "before" | "edits" | "elisions" | "language" | "basis"> &
  Partial<Pick<DocumentSummary, "adjustedSelection">>;

/** A summary. */
export class DocumentSummary {
  /** Kept when the file is minified. */
  static readonly name: string = "DocumentSummary";
  readonly text: string;
  /** What it counts: tokens, or characters if the budget was in those. */
  readonly tokens: number;
  /** What the document counts. */
  readonly before: number;
  /** What was replaced in the document, in order; none touches another. */
  readonly edits: readonly SummaryEdit[];
  readonly elisions: readonly Elision[];
  readonly language: string | undefined;
  /** How the structure came about: from a syntax tree, or from indentation and why. */
  readonly basis: Basis;
  /**
   * The selection, extended to the nodes that it touches, in UTF-16 code units of the document. Copilot Chat splits its
   * inline-chat prompts here into above, selected and below. Only in the compatible mode, and only with a selection.
   */
  readonly adjustedSelection: readonly [start: number, end: number] | undefined;

  /** Use {@link summarizeDocument}. */
  constructor(fields: SummaryFields) {
    this.text = fields.text;
    this.tokens = fields.tokens;
    this.before = fields.before;
    this.edits = fields.edits;
    this.elisions = fields.elisions;
    this.language = fields.language;
    this.basis = fields.basis;
    this.adjustedSelection = fields.adjustedSelection;
  }

  /** Nothing is missing. */
  get complete(): boolean {
    return this.elisions.length === 0;
  }

  /** Where a place of the document is in the summary; for what is missing, where its marker begins. */
  toSummary(offset: number): number {
    let moved = 0;
    for (const { start, end, text } of this.edits) {
      if (start > offset) break;
      if (end > offset) return start + moved;
      moved += text.length - (end - start);
    }
    return offset + moved;
  }

  /** Where a place of the summary is in the document; for a marker, where what it stands for begins. */
  toDocument(offset: number): number {
    let moved = 0;
    for (const { start, end, text } of this.edits) {
      const at = start + moved;
      if (at > offset) break;
      if (at + text.length > offset) return start;
      moved += text.length - (end - start);
    }
    return offset - moved;
  }

  /**
   * Edits that were made on the summary's text, as edits of the document's. What touches text that stands in the place
   * of something else, or crosses a place where something is missing, is dropped and told: nobody has seen what it
   * would replace. An insertion directly before or behind a marker goes where what is missing begins or ends.
   *
   * ```ts
   * import { readFile } from "node:fs/promises";
   * import { summarizeDocument } from "espalier/documents";
   *
   * const text = await readFile("src/app.ts", "utf8");
   * const selection = text.indexOf("start3");
   * const summary = await summarizeDocument(text, { path: "src/app.ts", budget: 500, selection });
   * const start = summary.text.indexOf("start3");
   * const written = [{ start, end: start + "start3".length, text: "begin3" }]; // what a model changed in the summary
   * const { edits, dropped } = summary.rebase(written);
   * text.slice(edits[0]!.start, edits[0]!.end); // => "start3"
   * dropped; // => []
   * ```
   *
   * Where the document changed while a model wrote its edits, pass those changes: the edits come back as edits of the
   * changed document, and an edit that overlaps a change is dropped.
   *
   * ```ts
   * import { readFile } from "node:fs/promises";
   * import { summarizeDocument } from "espalier/documents";
   *
   * const text = await readFile("src/app.ts", "utf8");
   * const selection = text.indexOf("start3");
   * const summary = await summarizeDocument(text, { path: "src/app.ts", budget: 500, selection });
   * const start = summary.text.indexOf("start3");
   * const written = [{ start, end: start + "start3".length, text: "begin3" }];
   * const typed = "// typed meanwhile\n";
   * const { edits } = summary.rebase(written, { changes: [{ start: 0, end: 0, text: typed }] });
   * edits[0]!.start === selection + typed.length; // => true
   * ```
   *
   * @param edits places are UTF-16 code units of the summary's text, in any order; edits must not overlap
   * @param options.changes edits of the document since it was summarised, in UTF-16 code units of the document as it
   *   was then
   * @throws EspalierError `bad_option`
   */
  rebase(edits: readonly SummaryEdit[], options: { changes?: readonly SummaryEdit[] } = {}): Rebased {
    if (typeof options !== "object" || options === null) throw badOption("", "an object", options);
    return rebaseEdits(edits, this.edits, this.text.length, options.changes);
  }
}

/**
 * Cuts a document down to a budget: whole statements and definitions go, what matters most stays, and a comment stands
 * wherever something is missing. Loads the grammar of the language if need be; where there is none, indentation says
 * what belongs together, and `basis` says why.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { summarizeDocument } from "espalier/documents";
 *
 * const text = await readFile("src/app.ts", "utf8");
 * const selection = text.indexOf("start3");
 * const summary = await summarizeDocument(text, { path: "src/app.ts", budget: 500, selection });
 * summary.tokens <= 500; // => true
 * summary.text.includes("start3"); // => true
 * summary.text; // => /\/\/ … \d+-\d+ omitted/
 * ```
 *
 * @throws EspalierError `budget_exceeded` if what is selected and the markers do not fit, `bad_input`, `bad_option`;
 *   the signal's reason if it is aborted
 */
export async function summarizeDocument(
  text: string,
  options: SummaryDocument & SummaryOptions,
): Promise<DocumentSummary> {
  checkOptions(text, options);
  const { summaries } = await summarized([{ ...options, text }], options).catch(atText);
  return summaries[0]!;
}

/**
 * The same at once, with the grammars that are loaded; in Node also with the package's own.
 *
 * @throws EspalierError as {@link summarizeDocument}, and `not_initialized`
 */
export function summarizeDocumentSync(text: string, options: SummaryDocument & SummaryOptions): DocumentSummary {
  checkOptions(text, options);
  try {
    ensureEncoding(encodingOf(options));
    const language = languageFor(options);
    const failure = options.tree || language === undefined ? undefined : link(language);
    return summariesOf([{ ...options, text }], options, [language], [failure])[0]!;
  } catch (error) {
    return atText(error);
  }
}

/**
 * Summarises documents that share a budget. What is left out first is what is least near to a selection, or deepest, in
 * whichever of them; ties go by the order of the list.
 *
 * ```ts
 * import { summarizeDocuments } from "espalier/documents";
 *
 * const functions = Array.from({ length: 50 }, (_, at) => `function f${at}() {\n  return ${at};\n}\n`).join("\n");
 * const documents = [{ text: functions, path: "a.ts" }, { text: "print('hello')\n", path: "b.py" }];
 * const { summaries } = await summarizeDocuments(documents, { budget: 200 });
 * summaries[1]?.text; // => "print('hello')\n"
 * summaries[0]!.tokens + summaries[1]!.tokens <= 200; // => true
 * ```
 *
 * @throws EspalierError as {@link summarizeDocument}; the path names the document
 */
export async function summarizeDocuments(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
): Promise<Summaries> {
  check(options, SUMMARY);
  checkMode(options);
  need(documents, DOCUMENTS, "documents", badInput);
  return summarized(documents, options);
}

async function summarized(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
): Promise<Summaries> {
  const { signal } = options;
  signal?.throwIfAborted();
  await ready();
  await loadNeeded(encodingOf(options));
  signal?.throwIfAborted();
  const languages = documents.map((document) => languageFor(document));
  const failures: (EspalierError | undefined)[] = [];
  for (const [at, language] of languages.entries())
    failures.push(documents[at]!.tree ? undefined : await prepare(language, signal));
  signal?.throwIfAborted();
  const summaries = summariesOf(documents, options, languages, failures);
  const lost = summaries.flatMap(({ elisions }, document): Loss[] => {
    if (elisions.length === 0) return [];
    const { path } = documents[document]!;
    const lines = elisions.reduce((sum, { lines: [first, last] }) => sum + last - first + 1, 0);
    const tokens = elisions.reduce((sum, elision) => sum + elision.tokens, 0);
    return [
      { document, ...(path !== undefined && { path }), lines, tokens, names: elisions.flatMap(({ names }) => names) },
    ];
  });
  return { summaries, tokens: summaries.reduce((sum, { tokens }) => sum + tokens, 0), lost };
}

const IMPORTS = ["usual", "first", "last"] as const;

/** Summaries with the grammars that are loaded; `failures` say why a grammar is missing. */
function summariesOf(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
  languages: readonly (string | undefined)[],
  failures: readonly (EspalierError | undefined)[],
): DocumentSummary[] {
  return (options.mode === "compatible" ? compatible : summarize)(documents, options, languages, failures);
}

function summarize(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
  languages: readonly (string | undefined)[],
  failures: readonly (EspalierError | undefined)[],
): DocumentSummary[] {
  const parsing = () =>
    documents.map((document, at) => ({
      ...document,
      language: languages[at],
      settings: settingsOf({ ...document, mode: "default" }, document.text, languages[at]),
    }));
  return surviving(parsing, () => summarizeOnce(documents, options, languages, failures));
}

function summarizeOnce(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
  languages: readonly (string | undefined)[],
  failures: readonly (EspalierError | undefined)[],
): DocumentSummary[] {
  const { budget, unit = "tokens", lineNumbers = false, marker = "… {lines} omitted", imports = "usual" } = options;
  const question = new Question()
    .text(unit === "tokens" ? encodingOf(options) : "", marker)
    .number(Math.min(Math.floor(budget), Number.MAX_SAFE_INTEGER))
    .flag(lineNumbers)
    .number(IMPORTS.indexOf(imports), documents.length);
  documents.forEach((document, at) => {
    const { text, path, comments, selection, costs, tree } = document;
    const [open, close] = comments === undefined ? [] : "line" in comments ? [comments.line] : comments.block;
    const language = languages[at];
    question.text(path ?? `documents[${at}]`, language ?? endingOf(path), open, close);
    const own = {
      text,
      language,
      settings: settingsOf({ ...document, mode: "default" }, text, language),
      ...(tree && { tree }),
    };
    put(question, { ...own, selection, costs }, false, `documents[${at}]`);
  });
  const answer = question.ask("summarize");
  return documents.map(({ text, path }, at) => {
    const [tokens, before] = answer.pair();
    const edits = answer.list(
      (): SummaryEdit => ({ start: answer.number(), end: answer.number(), text: answer.text() }),
    );
    const elisions = answer.list(() => readElision(answer, path));
    const basis = answer.basis();
    const failure = failures[at];
    return new DocumentSummary({
      text: apply(text, edits),
      tokens,
      before,
      edits,
      elisions,
      language: languages[at],
      basis: failure ? { path: "indentation", why: "grammarFailed", error: failure } : basis,
    });
  });
}

function readElision(answer: Answer, path = ""): Elision {
  const [range, [first, last]] = [answer.pair(), answer.pair()];
  const [tokens, kind, names] = [answer.number(), answer.text(), answer.list(() => answer.text())];
  return {
    range,
    lines: [first, last],
    tokens,
    kind,
    ...(names.length === 1 && { name: names[0]! }),
    names,
    handle: handleOf(path, first, last),
  };
}

/** What is behind the last dot of a file's name, or the name: what is known of a language that has no grammar. */
function endingOf(path: string | undefined): string {
  return path?.split(/[/\\]/).pop()?.split(".").pop() ?? "";
}

function handleOf(path: string, first: number, last: number): string {
  return first === last ? `${path}#L${first}` : `${path}#L${first}-L${last}`;
}

function apply(text: string, edits: readonly SummaryEdit[]): string {
  let [made, reached] = ["", 0];
  for (const { start, end, text: inserted } of edits) {
    made += text.slice(reached, start) + inserted;
    reached = end;
  }
  return made + text.slice(reached);
}

/** Characters that Copilot Chat takes for a token. */
const CHARACTERS = 4;

function compatible(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
  languages: readonly (string | undefined)[],
  failures: readonly (EspalierError | undefined)[],
): DocumentSummary[] {
  const {
    budget,
    unit = "tokens",
    lineNumbers,
    compatible: { attached, lineNumberStyle = lineNumbers ? "full" : undefined, ...switches } = {},
  } = options;
  const count = (text: string) => (unit === "tokens" ? countText(text, encodingOf(options)) : text.length);
  const asked = documents.map(
    ({ selection, costs = attached ? ("attached" as const) : undefined, ...rest }): CompatibleDocument => ({
      ...rest,
      ...(costs && { costs }),
      ...(selection !== undefined && {
        selection: typeof selection === "number" ? ([selection, selection] as const) : selection,
      }),
    }),
  );
  const limit = unit === "tokens" ? budget * CHARACTERS : budget;
  const made = compatibleSummaries(
    asked,
    { ...switches, limit, ...(lineNumberStyle && { lineNumberStyle }) },
    languages,
  );
  return made.map(({ text, edits, basis, adjusted }, at) => {
    const { text: whole, path = "" } = documents[at]!;
    const failure = failures[at];
    const lines = new Lines(whole);
    const elisions = edits.flatMap(([start, end]): Elision[] => {
      const missing = whole.slice(start, end);
      if (missing.trim() === "") return [];
      const [first, last] = [lines.at(start), lines.at(end - 1)];
      return [
        {
          range: [start, end],
          lines: [first, last],
          tokens: count(missing),
          kind: "",
          names: [],
          handle: handleOf(path, first, last),
        },
      ];
    });
    return new DocumentSummary({
      text,
      tokens: count(text),
      before: count(whole),
      edits: edits.map(([start, end, inserted]) => ({ start, end, text: inserted })),
      elisions,
      language: languages[at],
      basis: failure ? { path: "indentation", why: "grammarFailed", error: failure } : basis,
      ...(adjusted && { adjustedSelection: adjusted }),
    });
  });
}

/** Lines of places that ascend, from 1. Lines end with CR LF, LF or CR. */
class Lines {
  readonly #text: string;
  readonly #ends = /\r\n?|\n/g;
  #line = 1;
  /** Where the next line begins. */
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#find();
  }

  at(offset: number): number {
    for (; this.#next <= offset; this.#find()) this.#line += 1;
    return this.#line;
  }

  #find(): void {
    this.#next = this.#ends.test(this.#text) ? this.#ends.lastIndex : Infinity;
  }
}

function encodingOf({ encoding, model }: SummaryOptions): EncodingName {
  return (
    encoding ?? (model === undefined ? "o200k_base" : (call(() => wasm().encodingForModel(model)) as EncodingName))
  );
}

// ---------------------------------------------------------------- checks

/** Where there is one document, nobody numbered it. */
function atText(error: unknown): never {
  if (error instanceof EspalierError && error.path?.startsWith("documents[0].")) {
    const field = error.path.slice("documents[0].".length);
    const { code, message, details, cause } = error;
    throw coded({
      code,
      message: message.replaceAll("documents[0].", field === "text" ? "" : "options."),
      path: field === "text" ? field : `options.${field}`,
      details,
      cause,
    });
  }
  throw error;
}

/** Checks the text and options of one document. */
function checkOptions(text: string, options: SummaryDocument & SummaryOptions): void {
  need(text, kinds.required(kinds.text), "text", badInput);
  check(options, SUMMARY_DOCUMENT);
  checkMode(options);
}

/** The switches of the compatible mode need that mode. */
function checkMode({ compatible, mode }: SummaryOptions): void {
  if (compatible !== undefined && mode !== "compatible")
    throw badOption("mode", '"compatible" where there is options.compatible', mode);
}
