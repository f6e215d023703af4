/** What the page and its worker say to each other. Every question has a number; only the newest one of a kind is answered to the user. */

import type { CompactReport, EncodingName, Origin, PruneReport, Role } from "../js/types.ts";

export type Mode = "prune" | "compact";

export type Question =
  | { id: number; type: "open"; source: File | { url: string; name: string }; encoding: EncodingName }
  | { id: number; type: "run"; mode: Mode; budget: number; encoding: EncodingName }
  | { id: number; type: "read"; message: string };

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

export interface Failed {
  code: string;
  message: string;
  path?: string | undefined;
  /** With `budget_exceeded`: what cannot go. */
  largest?: { id: string; tokens: number; why: string }[] | undefined;
  /** With `budget_exceeded`: the smallest budget that could be met. */
  needed?: number | undefined;
}

export type Reply = { id: number } & ({ ok: Opened | Ran | { text: string } } | { failed: Failed });
