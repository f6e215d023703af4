/** The messages between the view of search and its worker. */

import type { IndexProgress, IndexReport, IndexState, SearchAnswer } from "../../js/search/types.ts";
import type { EncodingName } from "../../js/types/count.ts";
import type { Profile } from "../app/knobs.tsx";
import type { Folder } from "../folder/given.ts";

export const other = (profile: Profile): Profile => (profile === "espalier" ? "copilot-chat" : "espalier");

export interface Wanted {
  query: string;
  budget: number;
  profile: Profile;
  /** True for the hits of the other ranking, too. */
  isCompared: boolean;
  /** True if a small workspace is returned whole. */
  isWhole: boolean;
}

export interface Found {
  wanted: Wanted;
  /** Absent for an empty query. */
  answer?: SearchAnswer;
  second?: SearchAnswer;
  /** Duration of the search, in milliseconds. */
  ms: number;
  /** False while hits may change, because files are still indexed. */
  isComplete: boolean;
}

export type Questions = {
  /** Opens a folder, and indexes it in the background for a ranking. `name` names the stored index. */
  open: [
    asked: { name: string; folder: Folder; encoding: EncodingName; definitions: boolean; profile: Profile },
    answer: undefined,
  ];
  search: [asked: Wanted, answer: Found];
  /** Reads files that have changed since. */
  again: [asked: object, answer: undefined];
  /** Deletes all stored indexes; the answer is their number. */
  forget: [asked: object, answer: number];
};

/** The state of one index. */
export interface Progress {
  profile: Profile;
  state?: IndexState | undefined;
  /** Absent when all files are indexed. */
  working?: IndexProgress | undefined;
  /** The report of the newest sync. */
  report?: IndexReport | undefined;
  /** Milliseconds from the start of opening until all files could be searched. */
  ms?: number | undefined;
  error?: string | undefined;
}
