/** Changed code: reduces files to a diff or selections and the definitions around them, within a budget of tokens. */

import { prepared, settingsOf } from "./structure.ts";
import type { Basis, DocumentOptions } from "./structure.ts";
import { surviving } from "./surviving.ts";
import { ready } from "../engine/engine.ts";
import { badInput, EspalierError } from "../errors/errors.ts";
import type { EncodingName } from "../types/count.ts";
import { loadNeeded } from "../engine/vocabulary.ts";
import { Question } from "./tape.ts";
import type { Answer } from "./tape.ts";
import { check, need } from "../options/check.ts";
import { CHANGED_FILES, REDUCE } from "../options/schemas/documents.ts";

/** A file and its changes. A file without diff and selections is whole if there is room, and dropped otherwise. */
export interface ChangedFile extends Pick<DocumentOptions, "language" | "tabSize" | "limits"> {
  /** The name of the file. It decides the language, and which part of a diff of several files applies. */
  path: string;
  /** The current text. */
  text: string;
  /** A unified diff whose new side is `text`. The diff can have other files as well. */
  diff?: string;
  /** Stretches or cursors in UTF-16 code units; their lines count as changed. */
  selections?: readonly (readonly [start: number, end: number])[];
}

export interface ReduceOptions {
  /** The files of one change. */
  files: readonly ChangedFile[];
  /** Maximum tokens of all texts together; characters with that `unit`. */
  budget: number;
  /** The unit of the budget. Default `tokens`; `characters` are UTF-16 code units. */
  unit?: "tokens" | "characters";
  /** Tokens that you add to each file that is not dropped, such as its heading or fence. Default 0. */
  overhead?: number;
  /** `/* Line 3 *\/` and `/* Changed Line 3 *\/` before every line; they count. Default false. */
  lineNumbers?: boolean;
  /**
   * The words of a marker, which is a comment of the language. `{lines}` is replaced by the line numbers. Default `…
   * {lines} omitted`.
   */
  wording?: string;
  /** Maximum batches that `split_input` proposes. Default 10. */
  maxBatches?: number;
  /** Default `o200k_base`. */
  encoding?: EncodingName;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

/** How much of a file is kept, see {@link reduceChanges}. */
export type ReduceStep = "whole" | "definitions" | "statements" | "headers" | "changes" | "dropped";

/** An omitted stretch. Lines count from 1, and the last one is included. */
export interface ChangedElision {
  /** The stretch of the file in UTF-16 code units. */
  start: number;
  end: number;
  lines: [first: number, last: number];
  tokens: number;
  /** Names of the outermost definitions that begin in it. */
  definitions: string[];
  /** The range of its marker in the result, in UTF-16 code units. */
  marker: [start: number, end: number];
}

export interface ReducedFile {
  path: string;
  language: string | undefined;
  /** The reduced text; the string that was passed if the file is whole. */
  text: string;
  tokens: number;
  step: ReduceStep;
  /** The omitted stretches in order. */
  elisions: ChangedElision[];
  /** The origin of the structure. */
  basis: Basis;
}

export interface ReducedChanges {
  /** The files in their order. */
  files: ReducedFile[];
  /** Tokens of all files, overhead included. */
  tokens: number;
}

/** `details` of a `split_input` error. */
export interface SplitDetails {
  budget: number;
  /** Tokens of all changed lines. */
  needed: number;
  /** Indices of `files` by batch. Each batch fits by itself. */
  batches: number[][];
}

/**
 * Reduces changed files until they fit. The steps are: the whole file; the definitions around the changes, with heads
 * and ends of the definitions around those; only the statements around the changes; the changed lines with the heads;
 * the changed lines alone. The largest file is reduced first, and restored if there is room left. Every omitted stretch
 * has one marker. Changed lines are never omitted.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { reduceChanges } from "espalier/documents";
 *
 * const text = (await readFile("src/app.ts", "utf8")).replace("listening on", "ready on"); // the file as it is now
 * const diff = `--- a/src/app.ts
 * +++ b/src/app.ts
 * @@ -15,1 +15,1 @@
 * -  console.log("listening on", options.host, options.port);
 * +  console.log("ready on", options.host, options.port);
 * `;
 * const { files, tokens } = await reduceChanges({ files: [{ path: "src/app.ts", text, diff }], budget: 400 });
 * tokens <= 400; // => true
 * files[0]?.text.includes('console.log("ready on"'); // => true
 * ```
 *
 * @throws EspalierError `split_input` with batches that fit ({@link SplitDetails}), `too_many_changes` if there would
 *   be more batches than allowed, `budget_exceeded` if the changed lines of one file do not fit, `bad_diff` if a diff
 *   is malformed or belongs to another file, `bad_input`, `bad_option`; the signal's reason if it is aborted
 */
export async function reduceChanges(options: ReduceOptions): Promise<ReducedChanges> {
  const { answer, languages, failures } = await run(options, "reduce");
  const files = options.files.map(({ path, text: whole }, at): ReducedFile => {
    const [text, tokens, step] = [answer.text(), answer.number(), answer.text() as ReduceStep];
    const elisions = answer.list(() => readElision(answer));
    const [basis, failure] = [answer.basis(), failures[at]];
    return {
      path,
      language: languages[at],
      text: step === "whole" && !options.lineNumbers ? whole : text,
      tokens,
      step,
      elisions,
      basis: failure ? { path: "indentation", why: "grammarFailed", error: failure } : basis,
    };
  });
  return { files, tokens: answer.number() };
}

function readElision(answer: Answer): ChangedElision {
  const [start, end] = answer.pair();
  return {
    start,
    end,
    lines: answer.pair(),
    tokens: answer.number(),
    definitions: answer.list(() => answer.text()),
    marker: answer.pair(),
  };
}

/** A part of a file in the form of Copilot Chat: lines from 0, without the end. */
export interface CompatiblePart {
  startLine: number;
  endLine: number;
  text: string;
}

/**
 * Reduces changed files exactly as Copilot Chat does. Each hunk becomes its whole definition, and a change at top level
 * the whole file. A single file can stay over the budget. Every line has its number. Copilot Chat counts four
 * characters per token.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { reduceCompatible } from "espalier/documents";
 *
 * const text = await readFile("src/app.ts", "utf8");
 * const diff = `--- a/src/app.ts
 * +++ b/src/app.ts
 * @@ -9,1 +9,1 @@
 * -export function start0(options: Options): void {
 * +export function start0(options: Options0): void {
 * `;
 * const files = [{ path: "src/app.ts", text, diff }];
 * const reduced = await reduceCompatible({ files, budget: 2_000 * 4, unit: "characters" });
 * reduced.files[0]?.length; // => 1
 * ```
 *
 * @throws EspalierError as {@link reduceChanges}, except `budget_exceeded`
 */
export async function reduceCompatible(
  options: Omit<ReduceOptions, "overhead" | "lineNumbers" | "wording">,
): Promise<{ files: CompatiblePart[][]; tokens: number }> {
  const { answer } = await run(options, "reduceCompatible");
  const part = (): CompatiblePart => ({ startLine: answer.number(), endLine: answer.number(), text: answer.text() });
  const files = options.files.map(() => answer.list(part));
  return { files, tokens: answer.number() };
}

async function run(options: ReduceOptions, how: "reduce" | "reduceCompatible") {
  check(options, REDUCE);
  need(options.files, CHANGED_FILES, "files", badInput);
  const {
    files,
    budget,
    unit = "tokens",
    overhead = 0,
    lineNumbers = false,
    wording = "… {lines} omitted",
    maxBatches = 10,
    signal,
  } = options;
  const { encoding = "o200k_base" } = options;
  signal?.throwIfAborted();
  await ready();
  if (unit === "tokens") {
    await loadNeeded(encoding);
  }
  const [languages, failures]: [(string | undefined)[], (EspalierError | undefined)[]] = [[], []];
  for (const file of files) {
    const { language, failure } = await prepared(file.text, file, signal);
    languages.push(language);
    failures.push(failure);
  }
  signal?.throwIfAborted();
  const parsing = () =>
    files.map((file, at) => ({
      text: file.text,
      language: languages[at],
      settings: settingsOf(file, file.text, languages[at]),
    }));
  const question = () => {
    const question = new Question().number(budget, maxBatches).text(unit === "tokens" ? encoding : "");
    if (how === "reduce") question.text(wording).number(overhead).flag(lineNumbers);
    question.number(files.length);
    parsing().forEach((document, at) => {
      const { path, diff, selections = [] } = files[at]!;
      question.text(path).document(document).maybe(diff).numbers(selections.flat());
    });
    return question;
  };
  const answer = surviving(parsing, () => question().ask(how));
  if (answer.flag()) return { answer, languages, failures };
  const [needed, count, batches] = [
    answer.number(),
    answer.number(),
    answer.list(() => answer.list(() => answer.number())),
  ];
  if (batches.length > 0) {
    const message = `Even the changed lines take ${needed} ${unit}, and ${budget} are allowed: split the files into ${count} requests, as details.batches says.`;
    throw new EspalierError({
      code: "split_input",
      message,
      path: "files",
      details: { budget, needed, batches } satisfies SplitDetails,
    });
  }
  const message = `Even the changed lines take ${needed} ${unit}; that would be ${count} requests of ${budget}, and ${maxBatches} are allowed.`;
  throw new EspalierError({
    code: "too_many_changes",
    message,
    path: "files",
    details: { budget, needed, batches: count },
  });
}

/** One file of a diff. */
export interface FileDiff {
  /** The current name; the old name of a removed file. */
  path: string | undefined;
  oldPath: string | undefined;
  newPath: string | undefined;
  status: "modified" | "added" | "deleted" | "renamed" | "copied";
  /** Whether the file is binary, so that there are no hunks. */
  binary: boolean;
  hunks: DiffHunk[];
  /**
   * Changed lines of the new file, from 1 and with the last one. Where lines were only removed, the last is before the
   * first.
   */
  changes: [first: number, last: number][];
}

export interface DiffHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** The lines, each after a blank, `+` or `-`. */
  lines: string[];
}

/**
 * Reads a unified diff of any number of files. The engine must be ready (`await init()` in browsers).
 *
 * ```ts
 * import { parseDiff } from "espalier/documents";
 *
 * const [file] = parseDiff(`--- a/src/app.ts
 * +++ b/src/app.ts
 * @@ -1,1 +1,1 @@
 * -old
 * +new
 * `); // as `git diff` prints it
 * file?.path; // => "src/app.ts"
 * file?.status; // => "modified"
 * ```
 *
 * @throws EspalierError `bad_diff` with the line, also for combined diffs; `bad_input`
 */
export function parseDiff(diff: string): FileDiff[] {
  if (typeof diff !== "string")
    throw new EspalierError({ code: "bad_input", message: "diff must be a string", path: "diff" });
  const answer = new Question().text(diff).ask("diff");
  const text = () => answer.text();
  const hunk = (): DiffHunk => ({
    oldStart: answer.number(),
    oldLines: answer.number(),
    newStart: answer.number(),
    newLines: answer.number(),
    lines: answer.list(text),
  });
  return answer.list(
    (): FileDiff => ({
      path: answer.maybe(text),
      oldPath: answer.maybe(text),
      newPath: answer.maybe(text),
      status: answer.text() as FileDiff["status"],
      binary: answer.flag(),
      hunks: answer.list(hunk),
      changes: answer.list(() => answer.pair()),
    }),
  );
}
