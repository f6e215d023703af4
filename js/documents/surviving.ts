/** Runs calls that parse documents so that they survive a crash of the parser. */

import { isCrash } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { crashes, forgetCrashes, rememberCrash } from "./crashes.ts";
import { linkIfPossible } from "./grammars.ts";
import { Question } from "./tape.ts";
import type { Crossing } from "./tape.ts";

/** A document as the engine parses it; `tree` is set if the host has parsed it. */
export interface Parsing extends Crossing {
  tree?: unknown;
}

/**
 * Runs a call that parses documents. If it crashes the engine, each document is parsed alone to find the ones that
 * crash, and the call runs once more without parsing them. `run` reads their settings again.
 *
 * @throws what `run` throws; `engine_crashed` or `out_of_memory` if the parser is not the cause
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
    blamed.forEach(rememberCrash);
    for (const { language } of parsed) link(language!);
    try {
      return run();
    } catch (again) {
      // The parser did not crash.
      if (isCrash(again)) forgetCrashes(blamed);
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

/** Links a grammar into a fresh instance, which has none. A failure was reported before. */
function link(language: string): void {
  try {
    linkIfPossible(language);
  } catch (error) {
    if (!(error instanceof EspalierError)) throw error;
  }
}
