/** The options of public calls: inline context. */

import type { CodeMirrorInlineOptions } from "../../inline-context/hosts/codemirror.ts";
import type { MonacoInlineOptions } from "../../inline-context/hosts/monaco.ts";
import type { VSCodeInlineOptions } from "../../inline-context/hosts/vscode.ts";
import type * as Inline from "../../inline-context/types.ts";
import { need } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import { callback, checkedLater, clock, encoding, flag, number, required, signal, text, values } from "../kinds.ts";

/**
 * A count, with `Infinity` for no limit. Fractions and values that are not safe integers are the engine's to refuse.
 */
const count: Kind<number> = (value) =>
  typeof value === "number" && value >= 0 && (value === Infinity || Number.isInteger(value))
    ? undefined
    : "a whole number, 0 or more";

/** Less cannot be divided between the two sides of a cursor. */
const MIN_BUDGET = 8;

const budget: Kind<number> = (value, path, refuse) =>
  count(value, path, refuse) || (value as number) < MIN_BUDGET ? `a whole number, ${MIN_BUDGET} or more` : undefined;

const finite: Kind<number> = (value) => (Number.isFinite(value) ? undefined : "a number");

const SHARES: Schema<Inline.InlineShares> = { prefix: finite, suffix: finite, stable: finite, volatile: finite };

const cascade: Kind<any> = (value, path, refuse) =>
  typeof value === "boolean" ? undefined : void need(value, SHARES, path, refuse);

const aliases: Kind<any> = (value, path, refuse) =>
  values(value, text, "an object from language to language", path, refuse);

const SIMILAR: Schema<Inline.SimilarLimits> = {
  window: count,
  threshold: finite,
  maxSnippets: count,
  maxPerFile: count,
  maxFiles: count,
  maxChars: count,
  score: ["jaccard", "shared"],
  words: ["unicode", "ascii"],
};

const NEIGHBOURS: Schema<Inline.NeighbourLimits> = {
  maxFiles: count,
  maxChars: count,
  focusEntries: count,
  fileSchemeOnly: flag,
  aliases,
};

const EDITS: Schema<Inline.EditLimits> = {
  debounceMs: count,
  maxFiles: count,
  maxEdits: count,
  contextLines: count,
  mergeLines: count,
  maxEditChars: count,
  maxLines: count,
  maxFileChars: count,
  nearLines: count,
  lineOffset: count,
};

const LIMITS: Schema<Inline.InlineOptions> = {
  profile: ["espalier", "copilot-chat"],
  budget,
  window: count,
  outputReserve: count,
  encoding,
  model: text,
  tokenizer: callback,
  suffixShare: finite,
  suffixReserve: count,
  minChars: count,
  charsPerToken: finite,
  contextShare: finite,
  stableSlack: count,
  cascade,
  exact: flag,
  mode: checkedLater,
  crossing: ["skip", "charge"],
  similarBesideSnippets: flag,
  editForm: ["unified", "searchReplace", "plain"],
  similarLimits: SIMILAR,
  neighbourLimits: NEIGHBOURS,
  editLimits: EDITS,
  secrets: flag,
  providerMs: count,
  buildingMs: count,
};

export const MODES: readonly NonNullable<Inline.InlineOptions["mode"]>[] = ["minimal", "fillHalf", "double", "fill"];

export const INLINE_REQUEST: Schema<Inline.InlineRequest> = {
  ...LIMITS,
  file: required(checkedLater),
  cursor: required(checkedLater),
  neighbours: checkedLater,
  items: checkedLater,
  edits: checkedLater,
  excluded: checkedLater,
  elapsedMs: checkedLater,
};

export const INLINE_SESSION: Schema<Inline.InlineSessionOptions> = {
  ...LIMITS,
  providers: checkedLater,
  maxCacheBytes: count,
  maxCompletions: count,
  maxPlaces: count,
  nearPlaceLines: count,
  maxRecentFiles: count,
  maxCachedDocuments: count,
  moveDebounceMs: count,
  clock,
};

export const INLINE_CONTEXT: Schema<Inline.InlineSessionRequest> = {
  file: required(checkedLater),
  cursor: required(checkedLater),
  items: checkedLater,
  excluded: checkedLater,
  elapsedMs: checkedLater,
  maxFreshChars: checkedLater,
};

export const INLINE_CONTEXT_FOR: Schema<Inline.InlineAsyncRequest> = {
  file: required(checkedLater),
  cursor: required(checkedLater),
  items: checkedLater,
  excluded: checkedLater,
  maxFreshChars: checkedLater,
  providers: checkedLater,
  timeoutMs: checkedLater,
  onPartial: callback,
  signal,
};

/** The rest are inputs: what is wrong with them has the code `bad_input`. */
export const INLINE_MOVE: Schema<Inline.InlineMove> = {
  path: required(checkedLater),
  cursor: required(checkedLater),
  by: ["keyboard", "mouse", "command"],
  isActiveEditor: flag,
  isOneCursor: flag,
};

export const INLINE_NOW: Schema<{ now?: number }> = { now: checkedLater };

export const INLINE_CHANGE: Schema<{ now?: number; version?: number }> = { now: checkedLater, version: checkedLater };

const moment: Kind<number> = (value) => (typeof value === "number" ? undefined : "a time");

export const INLINE_FILE: Schema<Inline.InlineFile> = {
  path: required(text),
  text: required(text),
  language: text,
  scheme: text,
  focusedMs: moment,
};

const arrival: Kind<any> = (value) =>
  value === "pending" || (typeof value === "number" && value >= 0) ? undefined : 'a time, 0 or more, or "pending"';

export const INLINE_ITEM: Schema<Inline.InlineItem> = {
  id: required(text),
  text: required(text),
  kind: ["snippet", "trait", "diagnostic"],
  path: text,
  priority: number,
  weight: number,
  arrivedMs: arrival,
  isForTimeout: flag,
};

export const INLINE_EDIT: Schema<Inline.InlineEdit> = {
  path: required(text),
  before: required(text),
  after: required(text),
  atMs: checkedLater,
};

export const INLINE_VSCODE: Schema<VSCodeInlineOptions> = { accepts: callback, onError: callback };

export const INLINE_MONACO: Schema<MonacoInlineOptions> = {
  selector: checkedLater,
  pathOf: callback,
  onError: callback,
};

export const INLINE_CODEMIRROR: Schema<CodeMirrorInlineOptions> = { path: required(text), language: text };
