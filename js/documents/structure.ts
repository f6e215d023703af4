/**
 * Documents: the structure of a source file, from a syntax tree if there is a grammar, from indentation otherwise.
 *
 * The work is done in `core/src/document`. This file finds and loads grammars and makes objects of results.
 */

import { crashes } from "./crashes.ts";
import { surviving } from "./surviving.ts";
import {
  canLoad,
  hasGrammar,
  isFailure,
  languageOf,
  linkIfPossible,
  nameOf,
  needGrammar,
  registeredQuery,
} from "./grammars.ts";
import type { FlatTree } from "./flatten.ts";
import { Question } from "./tape.ts";
import type { Answer } from "./tape.ts";
import { ready } from "../engine/engine.ts";
import { badInput, type EspalierError } from "../errors/errors.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { DOCUMENT } from "../options/schemas/documents.ts";

export interface DocumentOptions {
  /** Name of the language, as in editors. Default: by the extension of `path`. */
  language?: string;
  /** Name of the file. */
  path?: string;
  /** `espalier` captures every unit; `copilot-chat` captures exactly what Copilot Chat does. Default `espalier`. */
  profile?: "espalier" | "copilot-chat";
  /** Width of a tab in columns, for indentation. Default 4. */
  tabSize?: number;
  /** A tree that the host has parsed, see {@link flattenTree}. */
  tree?: FlatTree;
  /** Limits of parsing, beyond which the document is folded by indentation. */
  limits?: ParseLimits;
}

export interface ParseLimits {
  /** Maximum UTF-8 bytes of the text. Default 1,048,576. */
  maxBytes?: number;
  /**
   * Maximum work of the parser, in hundreds of its operations, so that a document always has the same result. Default
   * 64,000. A megabyte of ordinary code takes 8,000 to 16,000, about half a second. A megabyte of brackets can take all
   * of it and up to eight seconds, so pass less if you cannot wait; with 0 nothing is parsed. If the tree of an earlier
   * version of the text is updated, the work of parsing the whole text counts.
   */
  maxWork?: number;
}

/** One node of a document's structure. Offsets are UTF-16 code units. */
export interface StructureNode {
  /** Type of the syntax node, or `constructor`, `root`; `FOLD`, `SECTION` (of Markdown) and `LINE` without a tree. */
  kind: string;
  start: number;
  end: number;
  children: StructureNode[];
}

/**
 * The origin of a structure. `work` is the work of parsing, in hundreds of the parser's operations: little if the tree
 * of an earlier version of the text was updated; 0 for a tree of the host.
 */
export type Basis =
  | { path: "syntax"; hasErrors: boolean; work: number }
  | { path: "indentation"; why: Why; error?: EspalierError };

/**
 * Why there is no syntax tree: no grammar for the language, or it is not loaded; the profile captures nothing in this
 * language; the text is longer than the limit, or took more work or memory (64 MB and 256 bytes per byte of text), or
 * crashed the parser; the engine refused the grammar; the grammar could not be loaded or its query is malformed (see
 * `error`).
 */
export type Why = "noGrammar" | "noQuery" | "tooLong" | "tooHard" | "badGrammar" | "grammarFailed";

export interface DocumentStructure {
  language: string | undefined;
  root: StructureNode;
  basis: Basis;
}

/**
 * Returns the structure of a document. Loads the grammar of its language if needed. Without a grammar the document is
 * folded by indentation, and `basis` says why.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { documentStructure } from "espalier/documents";
 *
 * const text = await readFile("src/app.ts", "utf8");
 * const { language, root, basis } = await documentStructure(text, { path: "src/app.ts" });
 * language; // => "typescript"
 * basis.path; // => "syntax"
 * text.slice(root.children[0]!.start, root.children[0]!.end); // => 'import { createServer } from "node:http";\n'
 * ```
 *
 * @throws EspalierError `bad_input`, `bad_option`, `bad_query`; the signal's reason if it is aborted
 */
export async function documentStructure(
  text: string,
  options: DocumentOptions & { signal?: AbortSignal } = {},
): Promise<DocumentStructure> {
  need(text, kinds.required(kinds.text), "text", badInput);
  check(options, DOCUMENT);
  await ready();
  const { language, failure } = await prepared(text, options, options.signal);
  return read(text, language, options, failure);
}

/** The language of a document. If its grammar could not be loaded, `failure` is the reason. */
export interface Prepared {
  language: string | undefined;
  failure: EspalierError | undefined;
}

/** Decides the language of a document, and loads its grammar if it has one and the host has not parsed the document. */
export async function prepared(text: string, options: DocumentOptions, signal?: AbortSignal): Promise<Prepared> {
  const found: Prepared[] = [];
  for (const language of languagesFor(text, options)) {
    found.push({ language, failure: options.tree ? undefined : await prepare(language, signal) });
    if (hasGrammar(language)) return found.at(-1)!;
  }
  return found[0] ?? { language: undefined, failure: undefined };
}

/** Does the same as {@link prepared} without waiting. */
export function preparedSync(text: string, options: DocumentOptions): Prepared {
  const found: Prepared[] = [];
  for (const language of languagesFor(text, options)) {
    found.push({ language, failure: options.tree ? undefined : link(language) });
    if (hasGrammar(language)) return found.at(-1)!;
  }
  return found[0] ?? { language: undefined, failure: undefined };
}

/** Loads the grammar of a language if it has one. Returns the reason if this fails. */
async function prepare(language: string, signal?: AbortSignal): Promise<EspalierError | undefined> {
  if (!canLoad(language)) return undefined;
  try {
    await needGrammar(language, signal);
  } catch (error) {
    return excused(error);
  }
}

/**
 * Returns the structure of a document synchronously, with the loaded grammars; in Node also with the package's own.
 *
 * @throws EspalierError `bad_input`, `bad_option`, `bad_query`, `not_initialized`
 */
export function documentStructureSync(text: string, options: DocumentOptions = {}): DocumentStructure {
  need(text, kinds.required(kinds.text), "text", badInput);
  check(options, DOCUMENT);
  const { language, failure } = preparedSync(text, options);
  return read(text, language, options, failure);
}

/** Links the grammar of a language if that is possible without waiting. The same as {@link prepare} otherwise. */
function link(language: string): EspalierError | undefined {
  try {
    linkIfPossible(language);
  } catch (error) {
    return excused(error);
  }
}

/**
 * Returns the error of a grammar that is missing or whose query is malformed, since documents can be folded without it.
 * Throws any other error.
 */
function excused(error: unknown): EspalierError {
  if (isFailure(error)) return error;
  throw error;
}

/**
 * Returns the language of a document, then the one that its path alone names: a host can have the grammar of C, and not
 * that of C++.
 */
function languagesFor(text: string, { language, path }: DocumentOptions): Set<string> {
  if (language !== undefined) return new Set([nameOf(language)]);
  const named = path === undefined ? [] : [languageOf(path, text), languageOf(path), markdown(path)];
  return new Set(named.filter((language) => language !== undefined));
}

/** Markdown has no grammar, and is folded by its headings. */
const markdown = (path: string) => (/\.(md|markdown|mdown|mkd|mdx)$/i.test(path) ? "markdown" : undefined);

/** Returns the numbers that the engine needs besides the text and its language. */
export function settingsOf(
  { profile = "espalier", tabSize = 4, limits = {} }: DocumentOptions,
  text: string,
  language: string | undefined,
): number[] {
  return [
    profile === "copilot-chat" ? 1 : 0,
    tabSize,
    limits.maxBytes ?? 1_048_576,
    crashes(text, language) ? 0 : (limits.maxWork ?? 64_000),
  ];
}

function read(
  text: string,
  language: string | undefined,
  options: DocumentOptions,
  failure?: EspalierError,
): DocumentStructure {
  const { tree } = options;
  const parsing = () => ({ text, language, tree, settings: settingsOf(options, text, language) });
  const raw = readStructure(
    surviving(
      () => [parsing()],
      () => new Question().document(parsing()).tree(tree, queryOf(language)).ask("structure"),
    ),
  );
  const basis: Basis = failure ? { path: "indentation", why: "grammarFailed", error: failure } : raw.basis;
  return { language, root: nested(raw.nodes), basis };
}

/** Returns the query that the host registered with a language. */
export function queryOf(language: string | undefined): string | undefined {
  return language === undefined ? undefined : registeredQuery(language);
}

interface FlatNode {
  kind: string;
  start: number;
  end: number;
  /** The index of the parent; that of the root is not in the list. */
  parent: number;
}

/** A structure with its nodes in preorder. */
export function readStructure(answer: Answer): { basis: Basis; nodes: FlatNode[] } {
  const basis = answer.basis();
  const kinds = answer.list(() => answer.text());
  const nodes = answer.list(() => ({
    kind: kinds[answer.number()] ?? "",
    start: answer.number(),
    end: answer.number(),
    parent: answer.number(),
  }));
  return { basis, nodes };
}

/** Makes a tree of nodes in preorder. It does not recurse, since code can be nested deeper than the stack. */
function nested(nodes: readonly FlatNode[]): StructureNode {
  const made: StructureNode[] = [];
  for (const { kind, start, end, parent } of nodes) {
    const node: StructureNode = { kind, start, end, children: [] };
    made[parent]?.children.push(node);
    made.push(node);
  }
  return made[0] as StructureNode;
}
