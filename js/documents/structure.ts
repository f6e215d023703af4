/**
 * Documents: the structure of a source file, from a syntax tree where there is a grammar, from indentation otherwise.
 *
 * What `core/src/document` does; here grammars are found and loaded, and results become objects.
 */

import { crashes } from "./crashes.ts";
import { surviving } from "./surviving.ts";
import { canLoad, isFailure, languageOf, linkIfPossible, nameOf, needGrammar, registeredQuery } from "./grammars.ts";
import type { FlatTree } from "./flatten.ts";
import { Question } from "./tape.ts";
import type { Answer } from "./tape.ts";
import { ready } from "../engine/engine.ts";
import { badInput, type EspalierError } from "../errors/errors.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { DOCUMENT } from "../options/schemas/documents.ts";

export interface DocumentOptions {
  /** Name of the language, as editors have it. Default: by the ending of `path`. */
  language?: string;
  /** Name of the file. */
  path?: string;
  /** Whose structure is wanted: ours, or to the letter what Copilot Chat sees. Default `default`. */
  mode?: "default" | "compatible";
  /** Width of a tab in columns, for indentation. Default 4. */
  tabSize?: number;
  /** A tree that the host has parsed: see {@link flattenTree}. */
  tree?: FlatTree;
  /** What parsing may cost; beyond it the document is folded by indentation. */
  limits?: ParseLimits;
}

export interface ParseLimits {
  /** Bytes of text as UTF-8. Default 1,048,576. */
  maxBytes?: number;
  /**
   * Work of the parser, in hundreds of its operations, so that the same document always has the same result. Default
   * 64,000: a megabyte of ordinary code takes 8,000 to 16,000, which is about half a second. A megabyte of brackets can
   * take all of it, and up to eight seconds: whoever cannot wait passes less; with 0 nothing is parsed. Where the tree
   * of an earlier version of the text is updated, it is what all of the text would take that counts.
   */
  maxWork?: number;
}

/** One node of a document's structure. Positions are UTF-16 code units. */
export interface StructureNode {
  /** Type of the syntax node, or `constructor`, `root`; `FOLD` and `LINE` where there is no tree. */
  kind: string;
  start: number;
  end: number;
  children: StructureNode[];
}

/**
 * How a structure came about. `work` is what parsing took, in hundreds of the parser's operations: little where the
 * text is an earlier one with one edit, whose tree was updated; 0 for a tree of the host's.
 */
export type Basis =
  | { path: "syntax"; hasErrors: boolean; work: number }
  | { path: "indentation"; why: Why; error?: EspalierError };

/**
 * Why there is no syntax tree: no grammar for the language, or it is not loaded; the mode captures nothing in this
 * language; the text is longer than the limit, or took more work (or memory: 64 MB and 256 bytes for each of its own),
 * or the parser crashed over it; the engine refused the grammar; the grammar could not be loaded, or its query not read
 * (`error` says why).
 */
export type Why = "noGrammar" | "noQuery" | "tooLong" | "tooHard" | "badGrammar" | "grammarFailed";

export interface DocumentStructure {
  language: string | undefined;
  root: StructureNode;
  basis: Basis;
}

/**
 * The structure of a document. Loads the grammar of its language if need be; where there is none, or it cannot be
 * loaded, the document is folded by indentation and `basis` says why.
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
  const language = languageFor(options);
  const failure = options.tree ? undefined : await prepare(language, options.signal);
  return read(text, language, options, failure);
}

/** Sees to it that a language has its grammar, if there is one; gives the reason why it has none, if it should have. */
export async function prepare(language: string | undefined, signal?: AbortSignal): Promise<EspalierError | undefined> {
  if (language === undefined || !canLoad(language)) return undefined;
  try {
    await needGrammar(language, signal);
  } catch (error) {
    return excused(error);
  }
}

/**
 * The same at once, with the grammars that are loaded; in Node also with the package's own.
 *
 * @throws EspalierError `bad_input`, `bad_option`, `bad_query`, `not_initialized`
 */
export function documentStructureSync(text: string, options: DocumentOptions = {}): DocumentStructure {
  need(text, kinds.required(kinds.text), "text", badInput);
  check(options, DOCUMENT);
  const language = languageFor(options);
  return read(text, language, options, options.tree || language === undefined ? undefined : link(language));
}

/** The same as {@link prepare} at once: links the grammar if that takes no waiting. */
export function link(language: string): EspalierError | undefined {
  try {
    linkIfPossible(language);
  } catch (error) {
    return excused(error);
  }
}

/**
 * A grammar that cannot be had, or whose query makes no sense, is no reason to fail: there is another way. Anything
 * else is.
 */
function excused(error: unknown): EspalierError {
  if (isFailure(error)) return error;
  throw error;
}

/** The language of a document, as it is known. */
export function languageFor({ language, path }: DocumentOptions): string | undefined {
  if (language !== undefined) return nameOf(language);
  return path === undefined ? undefined : languageOf(path);
}

/** What the engine has to know of a document beside its text and language, as numbers. */
export function settingsOf(
  { mode = "default", tabSize = 4, limits = {} }: DocumentOptions,
  text: string,
  language: string | undefined,
): number[] {
  return [
    mode === "compatible" ? 1 : 0,
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

/** The query that the host registered with a language. */
export function queryOf(language: string | undefined): string | undefined {
  return language === undefined ? undefined : registeredQuery(language);
}

interface FlatNode {
  kind: string;
  start: number;
  end: number;
  /** Its place in the list; nothing has the root. */
  parent: number;
}

/** A structure, its nodes in preorder. */
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

/** Nodes in preorder become a tree. Not by recursion: code can be nested deeper than the stack. */
function nested(nodes: readonly FlatNode[]): StructureNode {
  const made: StructureNode[] = [];
  for (const { kind, start, end, parent } of nodes) {
    const node: StructureNode = { kind, start, end, children: [] };
    made[parent]?.children.push(node);
    made.push(node);
  }
  return made[0] as StructureNode;
}
