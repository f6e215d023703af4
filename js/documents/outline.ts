/** Outlines of documents and maps of repositories: definitions without their bodies, within a budget of tokens. */

import { prepared, settingsOf } from "./structure.ts";
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

/**
 * The category of a definition; `block` is a fold of a document without a syntax tree, `section` one that a heading
 * of Markdown begins.
 */
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
  | "block"
  | "section";

/** A definition. Offsets are UTF-16 code units, lines count from 1. */
export interface Definition {
  /** Its name; empty if it has none. The first line of a fold, the text of a heading. */
  name: string;
  kind: DefinitionKind;
  /** Its start, with the comments directly above it, and its end. */
  start: number;
  end: number;
  /** The line of its signature, and its last line. */
  line: number;
  endLine: number;
  /** Whether it is in a function. Such definitions are not in the text of an outline. */
  local: boolean;
  /** Whether it is in the text of this outline. */
  shown: boolean;
  children: Definition[];
}

export interface OutlineOptions extends Pick<DocumentOptions, "language" | "path" | "tabSize" | "limits"> {
  /** Maximum tokens of the text. Default: no limit. */
  budget?: number;
  /** Whether each line begins with its number in the document. Default true. */
  lineNumbers?: boolean;
  /** Default `o200k_base`. */
  encoding?: EncodingName;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

export interface Outline {
  language: string | undefined;
  /** One line per definition, nested by indentation. The last line is a note if some are missing. */
  text: string;
  tokens: number;
  /** Number of definitions that do not fit. Outer ones come before inner ones. */
  missing: number;
  /** All definitions, including those that are not in the text. */
  definitions: Definition[];
  /** The origin of the definitions. */
  basis: Basis;
}

/**
 * Returns the outline of a document: signatures without bodies. Loads the grammar of its language if needed. Without a
 * grammar, folds by indentation replace definitions, and `basis` says so.
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
  const { language, failure } = await prepared(text, options, signal);
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
  /** Maximum tokens of the map. */
  budget: number;
  /**
   * Paths of the files of the conversation. What they refer to comes first. They are not in the map, since you show
   * them anyway.
   */
  focus?: readonly string[];
  /** Names and paths that were mentioned. Definitions of these names come before all others; paths have more weight. */
  mentioned?: readonly string[];
  /** Default `o200k_base`. */
  encoding?: EncodingName;
  /** Called after each file that had to be read. */
  onProgress?: (event: { done: number; of: number }) => void;
  /** Aborting it ends the call, which then throws the signal's reason. Default: nothing ends it. */
  signal?: AbortSignal;
}

/** A file and its importance. The sum over all files is 1. */
export interface MappedFile {
  path: string;
  rank: number;
}

/** A definition in a map. */
export interface MappedDefinition {
  path: string;
  name: string;
  kind: DefinitionKind;
  /** The line, from 1. */
  line: number;
}

export interface RepositoryMap {
  /**
   * Paths, the most important first, with their definitions under them. The last line is a note if some are missing.
   */
  text: string;
  tokens: number;
  /** Number of lines that do not fit. */
  missing: number;
  /** All files, the most important first. */
  files: MappedFile[];
  /** The definitions in the text, in its order. */
  definitions: MappedDefinition[];
  /** Number of files that had to be read; the facts of the others were known. */
  parsed: number;
}

/** Milliseconds of reading files after which other tasks get a turn. */
const TURN = 40;

/**
 * Draws the map of a repository within a budget of tokens: the definitions to which important files refer most. The
 * facts of files are kept by content (32 MB), so a second map after a change in one file reads only that file.
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
    const { language = "" } = await prepared(file.text, file, signal);
    languages.push(language);
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
    // After a clock was set back, the elapsed time is unknown.
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
