/** The options of public calls: inline context. The compiler holds each list equal to its type. */

import type { CodeMirrorInlineOptions } from "../../inline-context/hosts/codemirror.ts";
import type { MonacoInlineOptions } from "../../inline-context/hosts/monaco.ts";
import type { VSCodeInlineOptions } from "../../inline-context/hosts/vscode.ts";
import type * as Inline from "../../inline-context/types.ts";
import type { Names } from "../known.ts";

export const INLINE_REQUEST: Names<Inline.InlineRequest> = {
  file: 1,
  cursor: 1,
  neighbours: 1,
  items: 1,
  edits: 1,
  excluded: 1,
  elapsedMs: 1,
  profile: 1,
  budget: 1,
  window: 1,
  outputReserve: 1,
  encoding: 1,
  model: 1,
  tokenizer: 1,
  suffixShare: 1,
  suffixReserve: 1,
  minChars: 1,
  charsPerToken: 1,
  contextShare: 1,
  stableSlack: 1,
  cascade: 1,
  exact: 1,
  mode: 1,
  crossing: 1,
  similarBesideSnippets: 1,
  editForm: 1,
  similarLimits: 1,
  neighbourLimits: 1,
  editLimits: 1,
  providerMs: 1,
  buildingMs: 1,
};

export const INLINE_SESSION: Names<Inline.InlineSessionOptions> = {
  profile: 1,
  budget: 1,
  window: 1,
  outputReserve: 1,
  encoding: 1,
  model: 1,
  tokenizer: 1,
  suffixShare: 1,
  suffixReserve: 1,
  minChars: 1,
  charsPerToken: 1,
  contextShare: 1,
  stableSlack: 1,
  cascade: 1,
  exact: 1,
  mode: 1,
  crossing: 1,
  similarBesideSnippets: 1,
  editForm: 1,
  similarLimits: 1,
  neighbourLimits: 1,
  editLimits: 1,
  providerMs: 1,
  buildingMs: 1,
  providers: 1,
  maxCacheBytes: 1,
  maxCompletions: 1,
  maxPlaces: 1,
  nearPlaceLines: 1,
  maxRecentFiles: 1,
  maxCachedDocuments: 1,
  moveDebounceMs: 1,
  clock: 1,
};

export const INLINE_CONTEXT: Names<Inline.InlineSessionRequest> = {
  file: 1,
  cursor: 1,
  items: 1,
  excluded: 1,
  elapsedMs: 1,
  maxFreshChars: 1,
};

export const INLINE_CONTEXT_FOR: Names<Inline.InlineAsyncRequest> = {
  file: 1,
  cursor: 1,
  items: 1,
  excluded: 1,
  maxFreshChars: 1,
  providers: 1,
  timeoutMs: 1,
  onPartial: 1,
  signal: 1,
};

export const INLINE_MOVE: Names<Inline.InlineMove> = { path: 1, cursor: 1, by: 1, isActiveEditor: 1, isOneCursor: 1 };

export const INLINE_NOW: Names<{ now: 1 }> = { now: 1 };

export const INLINE_CHANGE: Names<{ now: 1; version: 1 }> = { now: 1, version: 1 };

export const INLINE_FILE: Names<Inline.InlineFile> = { path: 1, text: 1, language: 1, scheme: 1, focusedMs: 1 };

export const INLINE_ITEM: Names<Inline.InlineItem> = {
  id: 1,
  text: 1,
  kind: 1,
  path: 1,
  priority: 1,
  weight: 1,
  arrivedMs: 1,
  isForTimeout: 1,
};

export const INLINE_EDIT: Names<Inline.InlineEdit> = { path: 1, before: 1, after: 1, atMs: 1 };

export const INLINE_SHARES: Names<Inline.InlineShares> = { prefix: 1, suffix: 1, stable: 1, volatile: 1 };

export const INLINE_SIMILAR: Names<Inline.SimilarLimits> = {
  window: 1,
  threshold: 1,
  maxSnippets: 1,
  maxPerFile: 1,
  maxFiles: 1,
  maxChars: 1,
  score: 1,
  words: 1,
};

export const INLINE_NEIGHBOURS: Names<Inline.NeighbourLimits> = {
  maxFiles: 1,
  maxChars: 1,
  focusEntries: 1,
  fileSchemeOnly: 1,
  aliases: 1,
};

export const INLINE_EDITS: Names<Inline.EditLimits> = {
  debounceMs: 1,
  maxFiles: 1,
  maxEdits: 1,
  contextLines: 1,
  mergeLines: 1,
  maxEditChars: 1,
  maxLines: 1,
  maxFileChars: 1,
  nearLines: 1,
  lineOffset: 1,
};

export const INLINE_VSCODE: Names<VSCodeInlineOptions> = { accepts: 1, onError: 1 };

export const INLINE_MONACO: Names<MonacoInlineOptions> = { selector: 1, pathOf: 1, onError: 1 };

export const INLINE_CODEMIRROR: Names<CodeMirrorInlineOptions> = { path: 1, language: 1 };
