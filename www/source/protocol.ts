/**
 * The messages between the view of a source file and its worker. Places are UTF-16 units of the document unless stated
 * otherwise.
 */

import type { Basis } from "../../js/documents/structure.ts";
import type { Elision } from "../../js/documents/summarize.ts";
import type { ChangedElision, ReduceStep } from "../../js/documents/changed.ts";
import type { Definition } from "../../js/documents/outline.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { Profile } from "../app/knobs.tsx";
import type { Failed } from "../talk.ts";

export interface Document {
  name: string;
  text: string;
  encoding: EncodingName;
  /** The language that the user chose; otherwise the name decides. */
  language?: string | undefined;
}

export type Questions = {
  open: [asked: Document, answer: Opened];
  /** Tries again to load a grammar. */
  retry: [asked: object, answer: GrammarState];
  summarize: [asked: Wanted, answer: Summarized];
  /** The range in the document of a place in the summary; for a marker the range that it replaces. */
  place: [asked: { at: number }, answer: { start: number; end: number }];
  outline: [asked: object, answer: Outlined];
  reduce: [asked: { diff: string; budget: number }, answer: Reduced];
};

/** A pending grammar has arrived, or has failed. */
export interface News {
  grammar: GrammarState;
}

export type GrammarState =
  | { state: "none" | "loading" }
  | { state: "loaded"; ms: number; bytes: number }
  | { state: "failed"; failure: Failed };

export interface Opened {
  encoding: EncodingName;
  language: string | undefined;
  /** The languages to choose from. */
  languages: string[];
  /** Tokens of the whole document. */
  tokens: number;
  grammar: GrammarState;
}

export interface Wanted {
  budget: number;
  profile: Profile;
  lineNumbers: boolean;
  marker: string;
  selection: readonly [start: number, end: number] | undefined;
}

/** A removed range, and its marker's place in the summary; empty if it has no marker. */
export interface Gap extends Elision {
  marker: [start: number, end: number];
}

export interface Summarized {
  wanted: Wanted;
  text: string;
  tokens: number;
  gaps: Gap[];
  basis: Pick<Basis, "path"> & { why?: string; hasErrors?: boolean };
  /** The start of the selection in the summary. */
  cursor: number | undefined;
  /** Duration of the summary, in milliseconds. */
  ms: number;
}

export type Outlined = { definitions: Definition[]; tokens: number; folded: boolean };

/** A change reduced to the budget, and the budgets at which it shows more or less. */
export interface Reduced {
  path: string;
  rungs: { step: ReduceStep; tokens: number; gaps: number }[];
  /** Absent if even the changed lines exceed the budget. */
  now?: { step: ReduceStep; tokens: number; text: string; elisions: ChangedElision[] };
  /** Tokens of the changed lines. */
  least: number;
}
