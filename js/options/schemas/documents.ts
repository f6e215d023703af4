/** The options of public calls: documents. */

import type { ChangedFile, ReduceOptions } from "../../documents/changed.ts";
import type { CompatibleSwitches } from "../../documents/compatible.ts";
import type { Costs } from "../../documents/costs.ts";
import type { GrammarRegistration, LoadGrammarOptions } from "../../documents/grammars.ts";
import type { MapOptions, OutlineOptions, RepositoryFile } from "../../documents/outline.ts";
import type { DocumentOptions } from "../../documents/structure.ts";
import type { SummaryDocument, SummaryOptions } from "../../documents/summarize.ts";
import { badValue } from "../../errors/errors.ts";
import { checkForeign, items, need } from "../check.ts";
import type { Kind, Schema } from "../check.ts";
import {
  callback,
  ceiling,
  checkedLater,
  encoding,
  flag,
  isWhole,
  limit,
  name,
  positive,
  required,
  signal,
  text,
  texts,
  values,
  whole,
} from "../kinds.ts";

const tabSize: Kind<number> = (value) => (isWhole(value, 1) && value <= 64 ? undefined : "a whole number from 1 to 64");

const PARSED: Schema<Pick<DocumentOptions, "language" | "path" | "tabSize" | "limits">> = {
  language: text,
  path: text,
  tabSize,
  limits: { maxBytes: whole, maxWork: whole },
};

const tree: Kind<any> = (value) => {
  const { nodes, kinds, fields } = (value ?? {}) as { nodes?: unknown; kinds?: unknown; fields?: unknown };
  const areTexts = [kinds, fields].every((list) => texts(list, "", badValue) === undefined);
  return nodes instanceof Uint32Array && areTexts
    ? undefined
    : "what flattenTree returns: { nodes: Uint32Array, kinds: string[], fields: string[] }";
};

export const DOCUMENT: Schema<DocumentOptions & { signal?: AbortSignal }> = {
  ...PARSED,
  profile: ["espalier", "copilot-chat"],
  tree,
  signal,
};

export const SUMMARY: Schema<SummaryOptions> = {
  budget: required(limit),
  unit: ["tokens", "characters"],
  encoding,
  model: text,
  lineNumbers: flag,
  marker: text,
  imports: ["usual", "first", "last"],
  profile: ["espalier", "copilot-chat"],
  copilotChat: {
    tryPreserveTypeChecking: flag,
    alwaysUseEllipsisForElisions: flag,
    lineNumberStyle: ["omittedRanges", "full"],
    attached: flag,
  } satisfies Schema<CompatibleSwitches & { attached?: boolean }>,
  signal,
};

const selection: Kind<any> = (value) => {
  const places: unknown[] = Array.isArray(value) ? value : [value, value];
  return places.length === 2 && places.every((place) => isWhole(place))
    ? undefined
    : "an offset or two, in whole UTF-16 code units from 0";
};

const cost: Kind<number | false> = (value) =>
  value === false || (typeof value === "number" && !Number.isNaN(value))
    ? undefined
    : "a number, or false for what is never kept";

const costs: Kind<Costs> = (value, path, refuse) =>
  typeof value === "function"
    ? undefined
    : values(value, cost, "an object of costs by kind, or a function", path, refuse);

const comments: Kind<any> = (value) => {
  const given = (typeof value === "object" && value !== null ? value : {}) as { line?: unknown; block?: unknown };
  const isPair = Array.isArray(given.block) && given.block.length === 2;
  const marks: unknown[] = "line" in given ? [given.line] : isPair ? [...(given.block as unknown[])] : [];
  return marks.length > 0 && marks.every((mark) => typeof mark === "string" && mark !== "" && !/[\r\n]/.test(mark))
    ? undefined
    : "{ line } or { block: [open, close] }";
};

/** What is said of one document. */
const SUMMARIZED: Schema<SummaryDocument> = { ...PARSED, tree, selection, costs, comments };

export const SUMMARY_DOCUMENT: Schema<SummaryDocument & SummaryOptions> = { ...SUMMARIZED, ...SUMMARY };

const ITEM: Schema<SummaryDocument & { text?: string }> = { ...SUMMARIZED, text: checkedLater };

const item: Kind<any> = (value, path, refuse) => {
  if (typeof value !== "object" || value === null) return "an object with a text";
  need((value as { text?: unknown }).text, required(text), `${path}.text`, refuse);
  return void checkForeign(value, ITEM, path);
};

/** Documents are input; what is said of each of them are options. */
export const DOCUMENTS: Kind<any> = required((value, path, refuse) => items(value, item, path, refuse));

const oneLine: Kind<string> = (value) =>
  typeof value === "string" && !/[\r\n]/.test(value) ? undefined : "a text of one line";

export const REDUCE: Schema<ReduceOptions> = {
  files: required(checkedLater),
  budget: required(ceiling),
  unit: ["tokens", "characters"],
  overhead: whole,
  lineNumbers: flag,
  wording: oneLine,
  maxBatches: positive,
  encoding,
  signal,
};

const stretch: Kind<any> = (value) =>
  Array.isArray(value) && value.length === 2 && value.every((place) => isWhole(place))
    ? undefined
    : "two whole numbers, start and end";

const CHANGED_FILE: Schema<ChangedFile> = {
  ...PARSED,
  path: required(text),
  text: required(text),
  diff: text,
  selections: (value, path, refuse) => items(value, stretch, path, refuse),
};

export const CHANGED_FILES: Kind<any> = required((value, path, refuse) =>
  items(value, (file, at) => void checkForeign(file as object, CHANGED_FILE, at, refuse), path, refuse),
);

export const OUTLINE: Schema<OutlineOptions> = {
  ...PARSED,
  budget: ceiling,
  lineNumbers: flag,
  encoding,
  signal,
};

export const MAP: Schema<MapOptions> = {
  budget: required(ceiling),
  focus: texts,
  mentioned: texts,
  encoding,
  onProgress: callback,
  signal,
};

const MAP_FILE: Schema<RepositoryFile> = { ...PARSED, path: required(text), text: required(text) };

export const MAP_FILES: Kind<any> = required((value, path, refuse) =>
  items(value, (file, at) => void checkForeign(file as object, MAP_FILE, at, refuse), path, refuse),
);

export const GRAMMAR: Schema<GrammarRegistration> = {
  language: required(name),
  wasm: required(checkedLater),
  query: text,
  extensions: texts,
};

export const LOAD_GRAMMAR: Schema<LoadGrammarOptions> = { wasm: checkedLater, signal };
