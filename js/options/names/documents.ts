/** The options of public calls: documents. The compiler holds each list equal to its type. */

import type { ChangedFile, ReduceOptions } from "../../documents/changed.ts";
import type { CompatibleSwitches } from "../../documents/compatible.ts";
import type { GrammarRegistration, LoadGrammarOptions } from "../../documents/grammars.ts";
import type { MapOptions, OutlineOptions, RepositoryFile } from "../../documents/outline.ts";
import type { DocumentOptions, ParseLimits } from "../../documents/structure.ts";
import type { SummaryDocument, SummaryOptions } from "../../documents/summarize.ts";
import type { Names } from "../known.ts";

export const DOCUMENT: Names<DocumentOptions & { signal: 1 }> = {
  language: 1,
  path: 1,
  mode: 1,
  tabSize: 1,
  tree: 1,
  limits: 1,
  signal: 1,
};

export const LIMITS: Names<ParseLimits> = { bytes: 1, work: 1 };

export const SUMMARY: Names<SummaryOptions> = {
  budget: 1,
  unit: 1,
  encoding: 1,
  model: 1,
  lineNumbers: 1,
  marker: 1,
  imports: 1,
  mode: 1,
  compatible: 1,
  signal: 1,
};

export const SUMMARY_DOCUMENT: Names<SummaryDocument & SummaryOptions> = {
  language: 1,
  path: 1,
  tabSize: 1,
  limits: 1,
  tree: 1,
  selection: 1,
  costs: 1,
  comments: 1,
  budget: 1,
  unit: 1,
  encoding: 1,
  model: 1,
  lineNumbers: 1,
  marker: 1,
  imports: 1,
  mode: 1,
  compatible: 1,
  signal: 1,
};

export const DOCUMENT_ITEM: Names<SummaryDocument & { text: 1 }> = {
  text: 1,
  language: 1,
  path: 1,
  tabSize: 1,
  limits: 1,
  tree: 1,
  selection: 1,
  costs: 1,
  comments: 1,
};

export const COMPATIBLE: Names<CompatibleSwitches & { attached: 1 }> = {
  tryPreserveTypeChecking: 1,
  alwaysUseEllipsisForElisions: 1,
  lineNumberStyle: 1,
  attached: 1,
};

export const REDUCE: Names<ReduceOptions> = {
  files: 1,
  budget: 1,
  unit: 1,
  overhead: 1,
  lineNumbers: 1,
  wording: 1,
  maxBatches: 1,
  encoding: 1,
  signal: 1,
};

export const CHANGED_FILE: Names<ChangedFile> = {
  path: 1,
  text: 1,
  language: 1,
  tabSize: 1,
  limits: 1,
  diff: 1,
  selections: 1,
};

export const OUTLINE: Names<OutlineOptions> = {
  language: 1,
  path: 1,
  tabSize: 1,
  limits: 1,
  budget: 1,
  lineNumbers: 1,
  encoding: 1,
  signal: 1,
};

export const MAP: Names<MapOptions> = { budget: 1, focus: 1, mentioned: 1, encoding: 1, onProgress: 1, signal: 1 };

export const MAP_FILE: Names<RepositoryFile> = { path: 1, text: 1, language: 1, tabSize: 1, limits: 1 };

export const GRAMMAR: Names<GrammarRegistration> = { language: 1, wasm: 1, query: 1, extensions: 1 };

export const LOAD_GRAMMAR: Names<LoadGrammarOptions> = { wasm: 1, signal: 1 };
