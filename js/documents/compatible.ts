/**
 * Summaries by the compatible rules, whose limit is in UTF-16 code units and which leave most elisions unmarked. Hosts
 * use the profile `copilot-chat` of `summarizeDocument`.
 */

import { ready } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { prepared, settingsOf } from "./structure.ts";
import type { Basis, DocumentOptions } from "./structure.ts";
import { surviving } from "./surviving.ts";
import { put } from "./costs.ts";
import type { Costs } from "./costs.ts";
import { Question } from "./tape.ts";

/** A document with its selection. */
export interface CompatibleDocument extends Pick<DocumentOptions, "language" | "path" | "tabSize" | "limits" | "tree"> {
  text: string;
  /** Start and end of the selection in UTF-16 code units; equal for a cursor. */
  selection?: readonly [start: number, end: number];
  /** Costs by kind or by node; `false` is never kept. `attached` is the rule for files that a user attached. */
  costs?: "attached" | Costs;
}

/** The options of callers of Copilot Chat's summariser, under their names there. */
export interface CompatibleSwitches {
  /** Whether imports of TypeScript, JavaScript and Python come first and markers are comments. Default false. */
  tryPreserveTypeChecking?: boolean;
  /** Whether there is a marker for every elision between two pieces. Default false. */
  alwaysUseEllipsisForElisions?: boolean;
  /** `omittedRanges`: such markers, naming their lines; `full`: the number of each line before it. Default: neither. */
  lineNumberStyle?: "omittedRanges" | "full";
}

export interface CompatibleSettings extends CompatibleSwitches {
  /** Maximum UTF-16 code units of all summaries together. */
  limit: number;
}

export interface CompatibleSummary {
  text: string;
  /** Edits of the document: start, end, and the text that replaces the stretch. */
  edits: [start: number, end: number, text: string][];
  /** The selection, extended to whole nodes. */
  adjusted?: [start: number, end: number];
  basis: Basis;
}

export const STYLES = { omittedRanges: 1, full: 2 } as const;

/**
 * Summarises documents that share a limit.
 *
 * @throws EspalierError `bad_input`, `bad_option` naming the field
 */
export async function summarizeCompatible(
  documents: readonly CompatibleDocument[],
  settings: CompatibleSettings,
): Promise<CompatibleSummary[]> {
  if (!Array.isArray(documents))
    throw new EspalierError({ code: "bad_input", message: "documents must be an array", path: "documents" });
  documents.forEach(check);
  const { limit, lineNumberStyle } = settings;
  if (typeof limit !== "number" || Number.isNaN(limit)) throw bad("limit", "limit must be a number");
  if (lineNumberStyle !== undefined && !(lineNumberStyle in STYLES))
    throw bad("lineNumberStyle", 'lineNumberStyle must be "omittedRanges" or "full"');
  await ready();
  const languages: (string | undefined)[] = [];
  for (const document of documents) languages.push((await prepared(document.text, document)).language);
  return compatibleSummaries(documents, settings, languages);
}

/**
 * Summarises checked documents with the loaded grammars.
 *
 * @param languages the language of each document
 */
export function compatibleSummaries(
  documents: readonly CompatibleDocument[],
  settings: CompatibleSettings,
  languages: readonly (string | undefined)[],
): CompatibleSummary[] {
  const parsing = documents.map((document, at) => ({
    ...document,
    language: languages[at],
    profile: "copilot-chat" as const,
  }));
  const each = () =>
    parsing.map((document) => ({ ...document, settings: settingsOf(document, document.text, document.language) }));
  return surviving(each, () => summarize(documents, settings, languages));
}

function summarize(
  documents: readonly CompatibleDocument[],
  settings: CompatibleSettings,
  languages: readonly (string | undefined)[],
): CompatibleSummary[] {
  const { limit, tryPreserveTypeChecking = false, alwaysUseEllipsisForElisions = false, lineNumberStyle } = settings;
  const style = lineNumberStyle === undefined ? 0 : STYLES[lineNumberStyle];
  const question = new Question()
    .number(limit)
    .flag(tryPreserveTypeChecking)
    .flag(alwaysUseEllipsisForElisions)
    .number(style, documents.length);
  for (const [at, document] of documents.entries()) {
    const { text, tree, selection, costs } = document;
    const language = languages[at];
    const own = {
      text,
      language,
      settings: settingsOf({ ...document, profile: "copilot-chat" }, text, language),
      ...(tree && { tree }),
      selection,
    };
    put(
      question.flag(costs === "attached"),
      { ...own, costs: costs === "attached" ? undefined : costs },
      tryPreserveTypeChecking,
      `documents[${at}]`,
    );
  }
  const answer = question.ask("summarizeCompatible");
  return documents.map((): CompatibleSummary => {
    const text = answer.text();
    const edits = answer.list((): CompatibleSummary["edits"][number] => [...answer.pair(), answer.text()]);
    const adjusted = answer.maybe(() => answer.pair());
    return { text, edits, ...(adjusted && { adjusted }), basis: answer.basis() };
  });
}

function check({ text, selection }: CompatibleDocument, at: number): void {
  if (typeof text !== "string")
    throw new EspalierError({ code: "bad_input", message: "text must be a string", path: `documents[${at}].text` });
  if (selection === undefined) return;
  if (
    !Array.isArray(selection) ||
    selection.length !== 2 ||
    !selection.every((place) => Number.isInteger(place) && place >= 0)
  ) {
    throw new EspalierError({
      code: "bad_input",
      message: "selection must be two whole numbers",
      path: `documents[${at}].selection`,
    });
  }
}

function bad(path: string, message: string): EspalierError {
  return new EspalierError({ code: "bad_option", message, path: `settings.${path}` });
}
