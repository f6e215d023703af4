/**
 * What the page of a document and its worker say to each other. Places are UTF-16 units of the document unless it says
 * otherwise.
 */

import type { Basis, Elision } from "../js/documents/structure.ts";
import type { ChangedElision, ReduceStep } from "../js/documents/changed.ts";
import type { Definition } from "../js/documents/outline.ts";
import type { Failed } from "./talk.ts";

export type Mode = "default" | "compatible";

export interface Document {
  name: string;
  text: string;
  /** Chosen by hand; otherwise the name tells. */
  language?: string | undefined;
}

export type Questions = {
  open: [asked: Document, answer: Opened];
  /** Tries again to load a grammar. */
  retry: [asked: object, answer: GrammarState];
  summarize: [asked: Wanted, answer: Summarized];
  /** Where a place of the summary is in the document; of a marker all that it stands for. */
  place: [asked: { at: number }, answer: { start: number; end: number }];
  outline: [asked: object, answer: Outlined];
  reduce: [asked: { diff: string; budget: number }, answer: Reduced];
};

/** A grammar that was on its way has arrived, or will not. */
export interface News {
  grammar: GrammarState;
}

export type GrammarState =
  | { state: "none" | "loading" }
  | { state: "loaded"; ms: number; bytes: number }
  | { state: "failed"; failure: Failed };

export interface Opened {
  language: string | undefined;
  /** Languages that can be chosen. */
  languages: string[];
  /** Tokens of the whole document. */
  tokens: number;
  grammar: GrammarState;
}

export interface Wanted {
  budget: number;
  mode: Mode;
  lineNumbers: boolean;
  marker: string;
  selection: readonly [start: number, end: number] | undefined;
}

/** What is missing, and where its marker is in the summary; empty if nothing stands for it. */
export interface Gap extends Elision {
  marker: [start: number, end: number];
}

export interface Summarized {
  wanted: Wanted;
  text: string;
  tokens: number;
  gaps: Gap[];
  basis: Pick<Basis, "path"> & { why?: string; hasErrors?: boolean };
  /** Where the selection begins in the summary. */
  cursor: number | undefined;
  /** What summarising took. */
  ms: number;
}

export type Outlined = { definitions: Definition[]; tokens: number; folded: boolean };

/** How a change looks within the budget, and what it would take to see more of it, or less. */
export interface Reduced {
  path: string;
  rungs: { step: ReduceStep; tokens: number; gaps: number }[];
  /** Nothing if even the changed lines are too many. */
  now?: { step: ReduceStep; tokens: number; text: string; elisions: ChangedElision[] };
  /** Tokens that the changed lines take. */
  least: number;
}
