/**
 * Texts over which the parser crashed. Its budget bounds its work, its memory and how deep it goes, so there should be
 * none; but grammars are native code, of the host's own too. Such a text is folded by indentation, as one that takes
 * too much work, then and whenever it comes again.
 */

import { isCrash } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { linkIfPossible } from "./grammars.ts";
import { Question } from "./tape.ts";
import type { Crossing } from "./tape.ts";

/** A document as the engine parses it; `tree` says that the host has parsed it. */
export interface Parsing extends Crossing {
  tree?: unknown;
}

/** The last of them, which are kept by content: so many, and so many UTF-16 units of them, but always the last. */
const MOST = 64;
const MOST_UNITS = 16 << 20;
let crashing: Pick<Parsing, "text" | "language">[] = [];

/** True if the text is not to be parsed any more. */
export function crashes(text: string, language: string | undefined): boolean {
  return crashing.some((known) => known.language === language && known.text === text);
}

/** Lets texts of a language be parsed again: it has another grammar now. */
export function forgive(language: string): void {
  forget((known) => known.language === language);
}

/**
 * Runs a call that parses documents. Where it crashes the engine, the documents to blame are found, each alone, and it
 * runs once more without parsing those; `run` asks for their settings anew.
 *
 * @throws what `run` throws; `engine_crashed` or `out_of_memory` if that was not the parser
 */
export function surviving<T>(documents: () => readonly Parsing[], run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isCrash(error)) throw error;
    const parsed = documents().filter(
      ({ text, language, tree }) => !tree && language !== undefined && !crashes(text, language),
    );
    if (parsed.length === 0) throw error;
    const blamed = parsed.length === 1 ? parsed : parsed.filter(crashesAlone);
    for (const { text, language } of blamed) remember(text, language);
    for (const { language } of parsed) link(language!);
    try {
      return run();
    } catch (again) {
      // It was not the parser that crashed.
      if (isCrash(again))
        forget((known) => blamed.some(({ text, language }) => known.language === language && known.text === text));
      throw again;
    }
  }
}

function crashesAlone(document: Parsing): boolean {
  link(document.language!);
  try {
    new Question().document(document).tree(undefined, undefined).ask("structure");
    return false;
  } catch (error) {
    if (isCrash(error)) return true;
    throw error;
  }
}

/** A fresh instance has no grammars. One that cannot be linked was reported before. */
function link(language: string): void {
  try {
    linkIfPossible(language);
  } catch (error) {
    if (!(error instanceof EspalierError)) throw error;
  }
}

function remember(text: string, language: string | undefined): void {
  crashing.push({ text, language });
  let units = crashing.reduce((sum, known) => sum + known.text.length, 0);
  while (crashing.length > 1 && (crashing.length > MOST || units > MOST_UNITS)) units -= crashing.shift()!.text.length;
}

function forget(isMeant: (known: Pick<Parsing, "text" | "language">) => boolean): void {
  crashing = crashing.filter((known) => !isMeant(known));
}
