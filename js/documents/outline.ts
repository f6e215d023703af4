/**
 * Outlines of documents and maps of repositories: what is defined where, without what is in it, within a number of
 * tokens.
 */

import { languageFor, prepare, settingsOf } from "./structure.ts";
import type { Basis, DocumentOptions } from "./structure.ts";
import { surviving } from "./surviving.ts";
import type { Parsing } from "./surviving.ts";
import { ready } from "../engine/engine.ts";
import { badInput } from "../errors/errors.ts";
import type { EncodingName } from "../types/count.ts";
import { loadNeeded } from "../engine/vocabulary.ts";
import { Question } from "./tape.ts";
import type { Answer } from "./tape.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { MAP, MAP_FILES, OUTLINE } from "../options/schemas/documents.ts";

/** What a definition defines; `block` is a fold of a document without a syntax tree. */
export type DefinitionKind =
  | "module"
  | "class"
  | "interface"
  | "struct"
  | "enum"
  | "variant"
  | "type"
  | "function"
  | "method"
  | "constructor"
  | "property"
  | "constant"
  | "variable"
  | "macro"
  | "block";

/** A definition. Positions are UTF-16 units, lines are counted from 1. */
export interface Definition {
  /** Its name; empty if it has none. Of a fold the first line. */
  name: string;
  kind: DefinitionKind;
  /** Where it begins, comments directly above it included, and where it ends. */
  start: number;
  end: number;
  /** The line of its signature, and its last one. */
  line: number;
  endLine: number;
  /** Defined inside of a function; not in the text of an outline. */
  local: boolean;
  /** In the text of this outline. */
  shown: boolean;
  children: Definition[];
}

export interface OutlineOptions extends Pick<DocumentOptions, "language" | "path" | "tabSize" | "limits"> {
  /** Tokens that the text may have. Default: no limit. */
  budget?: number;
  /** Begin each line with its number in the document. Default true. */
  lineNumbers?: boolean;
  /** Default `o200k_base`. */
  encoding?: EncodingName;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

export interface Outline {
  language: string | undefined;
  /** One line for each definition, nested by indentation; the last line is a note if some are missing. */
  text: string;
  tokens: number;
  /** Definitions that are missing for want of room; the outer ones come before the inner ones. */
  missing: number;
  /** All definitions, those that are not in the text included. */
  definitions: Definition[];
  /** How they came about. */
  basis: Basis;
}

/**
 * The outline of a document: signatures without bodies. Loads the grammar of its language if need be; without one the
 * folds of its indentation take the place of definitions, and `basis` says so.
 *
 * ```ts
 * import { outline } from "espalier/documents";
 *
 * const source = "export class App {\n  start(port: number): void {\n    listen(port);\n  }\n}\n";
 * const { text, definitions } = await outline(source, { path: "src/app.ts" });
 * text; // => "1: export class App\n2:   start(port: number): void\n"
 * definitions.map(({ name }) => name); // => ["App"]
 * ```
 *
 * @throws EspalierError `bad_input`, `bad_option`; the signal's reason if it is aborted
 */
export async function outline(text: string, options: OutlineOptions = {}): Promise<Outline> {
  need(text, kinds.required(kinds.text), "text", badInput);
  const { budget = Infinity, lineNumbers = true, encoding = "o200k_base", signal } = check(options, OUTLINE);
  signal?.throwIfAborted();
  await ready();
  await loadNeeded(encoding);
  const language = languageFor(options);
  const failure = await prepare(language, signal);
  const parsing = () => ({ text, language, settings: settingsOf(options, text, language) });
  const answer = surviving(
    () => [parsing()],
    () => new Question().document(parsing()).flag(lineNumbers).number(budget).text(encoding).ask("outline"),
  );
  const [shorter, tokens, missing] = [answer.text(), answer.number(), answer.number()];
  const definitions = readDefinitions(answer);
  const basis = answer.basis();
  return {
    language,
    text: shorter,
    tokens,
    missing,
    definitions,
    basis: failure ? { path: "indentation", why: "grammarFailed", error: failure } : basis,
  };
}

function readDefinitions(answer: Answer): Definition[] {
  const visible = new Set(answer.list(() => answer.number()));
  const roots: Definition[] = [];
  const made: Definition[] = [];
  answer.list(() => {
    const { name, kind, line } = readNamed(answer);
    const [endLine, start, end, parent, local] = [
      answer.number(),
      answer.number(),
      answer.number(),
      answer.number(),
      answer.flag(),
    ];
    const definition: Definition = {
      name,
      kind,
      start,
      end,
      line,
      endLine,
      local,
      shown: visible.has(made.length),
      children: [],
    };
    (made[parent]?.children ?? roots).push(definition);
    made.push(definition);
  });
  return roots;
}

function readNamed(answer: Answer): Pick<Definition, "name" | "kind" | "line"> {
  return { name: answer.text(), kind: answer.text() as DefinitionKind, line: answer.number() };
}

/** A file of a repository. */
export interface RepositoryFile extends Pick<DocumentOptions, "language" | "tabSize" | "limits"> {
  path: string;
  text: string;
}

export interface MapOptions {
  /** Tokens that the map may have. */
  budget: number;
  /**
   * Paths of the files that the conversation is about: what they refer to comes first. They are not in the map, since
   * you show them anyway.
   */
  focus?: readonly string[];
  /** Names and paths that somebody mentioned; they weigh more. */
  mentioned?: readonly string[];
  /** Default `o200k_base`. */
  encoding?: EncodingName;
  /** Called after every file that had to be read anew. */
  onProgress?: (event: { done: number; of: number }) => void;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

/** A file and how much it matters; all files together have 1. */
export interface MappedFile {
  path: string;
  rank: number;
}

/** A definition in a map. */
export interface MappedDefinition {
  path: string;
  name: string;
  kind: DefinitionKind;
  /** From 1. */
  line: number;
}

export interface RepositoryMap {
  /**
   * Paths, the most important first, with their definitions under them; the last line is a note if some are missing.
   */
  text: string;
  tokens: number;
  /** Lines that are missing for want of room. */
  missing: number;
  /** All files, the most important first. */
  files: MappedFile[];
  /** The definitions in the text, in its order. */
  definitions: MappedDefinition[];
  /** Files that had to be read; the others were known from before. */
  parsed: number;
}

/** After so many milliseconds of reading files others get their turn. */
const TURN = 40;

/**
 * The map of a repository: of all definitions those that are referred to most, by files that are referred to most,
 * within a number of tokens. What is known of a file is kept by its content (32 MB of it), so that a second map with
 * one changed file reads that file only.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { repositoryMap } from "espalier/documents";
 *
 * const files = [{ path: "src/app.ts", text: await readFile("src/app.ts", "utf8") }];
 * const { text, tokens } = await repositoryMap(files, { budget: 1_000, mentioned: ["start0"] });
 * tokens <= 1_000; // => true
 * text.includes("start0"); // => true
 * ```
 *
 * @throws EspalierError `bad_input`, `bad_option`; the signal's reason if it is aborted
 */
export async function repositoryMap(files: readonly RepositoryFile[], options: MapOptions): Promise<RepositoryMap> {
  need(files, MAP_FILES, "files", badInput);
  const { budget, focus = [], mentioned = [], encoding = "o200k_base", onProgress, signal } = check(options, MAP);
  signal?.throwIfAborted();
  await ready();
  await loadNeeded(encoding);
  const [inFocus, named] = [new Set(focus), new Set(mentioned)];
  const languages: string[] = [];
  const parsing = (at: number): Parsing => {
    const { text } = files[at]!;
    const language = languages[at] || undefined;
    return { text, language, settings: settingsOf(files[at]!, text, language) };
  };
  let parsed = 0;
  let turn = Date.now();
  for (const [at, file] of files.entries()) {
    const language = languageFor(file) ?? "";
    languages.push(language);
    await prepare(language || undefined, signal);
    if (
      surviving(
        () => [parsing(at)],
        () => new Question().document(parsing(at)).ask("facts"),
      ).flag()
    ) {
      parsed += 1;
      onProgress?.({ done: at + 1, of: files.length });
    }
    const passed = Date.now() - turn;
    // A clock that was set back says nothing of how long this took.
    if (passed < 0 || passed > TURN) {
      await new Promise((resolve) => setTimeout(resolve));
      signal?.throwIfAborted();
      turn = Date.now();
    }
  }
  signal?.throwIfAborted();
  const question = () => {
    const question = new Question()
      .texts([...named])
      .number(budget)
      .text(encoding)
      .number(files.length);
    files.forEach(({ path }, at) =>
      question.text(path).flag(inFocus.has(path)).flag(named.has(path)).document(parsing(at)),
    );
    return question;
  };
  const answer = surviving(
    () => files.map((_, at) => parsing(at)),
    () => question().ask("map"),
  );
  const path = () => files[answer.number()]!.path;
  const [text, tokens, missing] = [answer.text(), answer.number(), answer.number()];
  const ranked = answer.list((): MappedFile => ({ path: path(), rank: answer.number() }));
  const definitions = answer.list((): MappedDefinition => ({ path: path(), ...readNamed(answer) }));
  return { text, tokens, missing, files: ranked, definitions, parsed };
}
