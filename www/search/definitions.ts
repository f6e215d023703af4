/**
 * Finds the definitions of files in a separate worker, since only the main engine parses, and searching has
 * another engine.
 */

import type { SearchDefinition } from "../../js/search/types.ts";
import { asking } from "../talk.ts";

export type Questions = {
  definitions: [asked: { path: string; text: string }, answer: SearchDefinition[] | undefined];
};

const ask = asking<Questions>("./definitions-worker.js");

/** Returns the definitions of a file; undefined for a language without a grammar. Rejects with `Failed`. */
export const definitionsOf = (file: { path: string; text: string }) =>
  ask("definitions", { path: file.path, text: file.text });
