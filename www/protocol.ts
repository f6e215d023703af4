/** What the page of conversations and its worker say to each other. */

import type { CompactReport, EncodingName, Origin, PruneReport, Role } from "../js/types.ts";
import type { Source } from "./reading.ts";

export type Mode = "prune" | "compact";

export type Questions = {
  open: [asked: { source: Source; encoding: EncodingName }, answer: Opened];
  run: [asked: { mode: Mode; budget: number; encoding: EncodingName }, answer: Ran];
  read: [asked: { message: string }, answer: { text: string }];
};

/** One message as the page shows it. */
export interface Row {
  id: string;
  role: Role;
  /** The beginning of what it says. */
  peek: string;
}

export interface Opened {
  name: string;
  format: string;
  total: number;
  origin: Origin;
  rows: Row[];
}

export interface Ran {
  mode: Mode;
  report: PruneReport | CompactReport;
  /** Messages that were not in the input, by id. */
  inserted: Row[];
}
