/**
 * Summaries of documents: cut down to an exact budget while they still read as code. The work is done in
 * `core/src/document/summary`. This file checks options, finds grammars, and applies edits to the host's own strings,
 * so that kept text is unchanged even with lone surrogates.
 */

import { call, ready, wasm } from "../engine/engine.ts";
import { badInput, badOption, coded, EspalierError } from "../errors/errors.ts";
import { countText } from "../tokens/texts.ts";
import { prepared, preparedSync, settingsOf } from "./structure.ts";
import type { Basis, DocumentOptions, Prepared } from "./structure.ts";
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

/** The options of one document. */
export interface SummaryDocument extends Pick<DocumentOptions, "language" | "path" | "tabSize" | "limits" | "tree"> {
  /** The selection: start and end in UTF-16 code units, or a cursor. It is kept, and text near it comes first. */
  selection?: number | readonly [start: number, end: number];
  /**
   * Costs of nodes by kind, with the names of `documentStructure`. They replace the usual costs, which are lowest for
   * outer nodes and near the selection. The cheapest nodes come first. A node with `false` is never kept, nor is
   * anything in it, unless it is selected.
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
   * A function decides the cost of each node. It receives the node and its usual cost, and is called for parents first.
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
  /** The comment syntax of languages that are unknown to the engine. Markers are comments. */
  comments?: { line: string } | { block: readonly [open: string, close: string] };
}

/** The options of all documents together. */
export interface SummaryOptions {
  /**
   * Maximum tokens of all summaries together, markers and line numbers included: 0 or more. A fraction of a token is
   * ignored; `Infinity` keeps every document whole.
   */
  budget: number;
  /** The unit of the budget. Default `tokens`; `characters` are UTF-16 code units. */
  unit?: "tokens" | "characters";
  /** The encoding; it takes precedence over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /** A model name that decides the encoding. */
  model?: string;
  /**
   * Whether each line begins with its number in the document. Markers have no number, since they name their lines.
   * Default false.
   */
  lineNumbers?: boolean;
  /** The words of a marker; `{lines}` is replaced by the lines. Default `… {lines} omitted`. */
  marker?: string;
  /** Whether imports come before or after everything else. Default `usual`: by their cost, like other nodes. */
  imports?: "usual" | "first" | "last";
  /**
   * `copilot-chat` cuts exactly as Copilot Chat does: most elisions have no marker, and the selection is kept whatever
   * the budget is. It counts four characters per token and ignores `marker`, `imports` and `comments`. See also
   * `copilotChat`. Default `espalier`.
   */
  profile?: "espalier" | "copilot-chat";
  /**
   * Further options of Copilot Chat's callers, for the profile `copilot-chat` only. With `attached`, nodes have the
   * costs of files that a user attached, unless the document states costs: imports come last, and in TypeScript public
   * declarations come before private ones.
   */
  copilotChat?: CompatibleSwitches & { attached?: boolean };
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

/** An omitted stretch of a document. */
export interface Elision {
  /** The stretch in UTF-16 code units: `text.slice(...range)` returns it. */
  range: [start: number, end: number];
  /** Its lines as the marker names them: both included, from 1. */
  lines: [first: number, last: number];
  /** Its tokens, or characters with that `unit`. */
  tokens: number;
  /** Kind of the first omitted node, as in the structure. Empty in the profile `copilot-chat`. */
  kind: string;
  /** The omitted definition, if it is one. `names` has all definitions that are omitted whole, at most twenty. */
  name?: string;
  names: string[];
  /** A reference to request it with: `path#L12-L48`. */
  handle: string;
}

/** A stretch of the document and its replacement. */
export interface SummaryEdit {
  start: number;
  end: number;
  text: string;
}

/** What a document lost. */
export interface Loss {
  /** The index of the document in the list, and its path if it has one. */
  document: number;
  path?: string;
  /** Omitted lines, and their tokens or characters. */
  lines: number;
  tokens: number;
  /** Names of the definitions that are omitted whole. */
  names: string[];
}

/** Summaries of several documents, in their order. */
export interface Summaries {
  summaries: DocumentSummary[];
  /** Tokens or characters of all summaries together. */
  tokens: number;
  /** The documents that are not whole. */
  lost: Loss[];
}

type SummaryFields = Pick<DocumentSummary, "text" | "tokens" | "before" | "edits" | "elisions" | "language" | "basis"> &
  Partial<Pick<DocumentSummary, "adjustedSelection">>;

/** A summary. */
export class DocumentSummary {
  /** Kept by minifiers. */
  static readonly name: string = "DocumentSummary";
  readonly text: string;
  /** Tokens of the summary; characters with that `unit`. */
  readonly tokens: number;
  /** Tokens or characters of the document. */
  readonly before: number;
  /** The edits that turn the document into its summary, in order; no two touch. */
  readonly edits: readonly SummaryEdit[];
  readonly elisions: readonly Elision[];
  readonly language: string | undefined;
  /** The origin of the structure: a syntax tree, or indentation and why. */
  readonly basis: Basis;
  /**
   * The selection, extended to the nodes that it touches, in UTF-16 code units of the document. Copilot Chat splits its
   * inline-chat prompts here into above, selected and below. Only in the profile `copilot-chat` with a selection.
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

  /** Whether nothing is omitted. */
  get complete(): boolean {
    return this.elisions.length === 0;
  }

  /** Maps an offset of the document to the summary; one in an omitted stretch to the start of its marker. */
  toSummary(offset: number): number {
    let moved = 0;
    for (const { start, end, text } of this.edits) {
      if (start > offset) break;
      if (end > offset) return start + moved;
      moved += text.length - (end - start);
    }
    return offset + moved;
  }

  /** Maps an offset of the summary to the document; one in a marker to the start of the omitted stretch. */
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
   * Converts edits of the summary's text to edits of the document. An edit that touches a marker or crosses an elision
   * is dropped and reported, since it would replace text that its author has not seen. An insertion directly before or
   * behind a marker goes to the start or the end of the omitted stretch.
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
   * If the document changed while a model wrote its edits, pass those changes. The result then has edits of the changed
   * document, and an edit that overlaps a change is dropped.
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
   * @param edits offsets are UTF-16 code units of the summary's text, in any order; edits must not overlap
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
 * Cuts a document down to a budget: whole statements and definitions are omitted, the most important ones are kept, and
 * a comment marks every elision. Loads the grammar of the language if needed. Without a grammar, indentation decides
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
 * @throws EspalierError `budget_exceeded` if the selection and the markers do not fit, `bad_input`, `bad_option`; the
 *   signal's reason if it is aborted
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
 * Summarises a document synchronously, with the loaded grammars; in Node also with the package's own.
 *
 * @throws EspalierError as {@link summarizeDocument}, and `not_initialized`
 */
export function summarizeDocumentSync(text: string, options: SummaryDocument & SummaryOptions): DocumentSummary {
  checkOptions(text, options);
  try {
    ensureEncoding(encodingOf(options));
    const { language, failure } = preparedSync(text, options);
    return summariesOf([{ ...options, text }], options, [language], [failure])[0]!;
  } catch (error) {
    return atText(error);
  }
}

/**
 * Summarises documents that share a budget. Nodes far from a selection and deep nodes are omitted first, in whichever
 * document. The order of the list decides ties.
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
  checkProfile(options);
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
  const found: Prepared[] = [];
  for (const document of documents) found.push(await prepared(document.text, document, signal));
  signal?.throwIfAborted();
  const [languages, failures] = [found.map(({ language }) => language), found.map(({ failure }) => failure)];
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

/** Summarises documents with the loaded grammars. `failures` are the reasons why grammars are missing. */
function summariesOf(
  documents: readonly (SummaryDocument & { text: string })[],
  options: SummaryOptions,
  languages: readonly (string | undefined)[],
  failures: readonly (EspalierError | undefined)[],
): DocumentSummary[] {
  return (options.profile === "copilot-chat" ? compatible : summarize)(documents, options, languages, failures);
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
      settings: settingsOf({ ...document, profile: "espalier" }, document.text, languages[at]),
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
      settings: settingsOf({ ...document, profile: "espalier" }, text, language),
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

/**
 * Returns the extension of a file's name, or its name. The engine knows the comments of some languages without a
 * grammar by it.
 */
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

/** Characters per token in Copilot Chat. */
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
    copilotChat: { attached, lineNumberStyle = lineNumbers ? "full" : undefined, ...switches } = {},
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

/** Finds the lines of ascending offsets, from 1. Lines end with CR LF, LF or CR. */
class Lines {
  readonly #text: string;
  readonly #ends = /\r\n?|\n/g;
  #line = 1;
  /** The start of the next line. */
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

/** Removes the index from the path of an error if there is one document only. */
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
  checkProfile(options);
}

/** Checks that the options of the profile `copilot-chat` come with that profile. */
function checkProfile({ copilotChat, profile }: SummaryOptions): void {
  if (copilotChat !== undefined && profile !== "copilot-chat")
    throw badOption("profile", '"copilot-chat" with options.copilotChat', profile);
}
