/** `espalier/documents`: summaries, structures, outlines and changes of source files. */

export { flattenTree } from "../documents/flatten.ts";
export {
  hasGrammar,
  languageOf,
  languages,
  loadGrammar,
  loadGrammarSync,
  registerGrammar,
} from "../documents/grammars.ts";
export { documentStructure, documentStructureSync } from "../documents/structure.ts";
export {
  DocumentSummary,
  summarizeDocument,
  summarizeDocuments,
  summarizeDocumentSync,
} from "../documents/summarize.ts";
export type { CompatibleSwitches } from "../documents/compatible.ts";
export type { CostNode, Costs } from "../documents/costs.ts";
export type { FlatTree, TreeCursorLike, TreeLike } from "../documents/flatten.ts";
export type { GrammarRegistration, GrammarSource, LoadGrammarOptions } from "../documents/grammars.ts";
export type { Rebased } from "../documents/rebase.ts";
export type {
  Basis,
  DocumentOptions,
  DocumentStructure,
  ParseLimits,
  StructureNode,
  Why,
} from "../documents/structure.ts";
export type { Elision, Loss, Summaries, SummaryDocument, SummaryEdit, SummaryOptions } from "../documents/summarize.ts";
export { parseDiff, reduceChanges, reduceCompatible } from "../documents/changed.ts";
export type {
  ChangedElision,
  ChangedFile,
  CompatiblePart,
  DiffHunk,
  FileDiff,
  ReduceOptions,
  ReduceStep,
  ReducedChanges,
  ReducedFile,
  SplitDetails,
} from "../documents/changed.ts";
export { outline, repositoryMap } from "../documents/outline.ts";
export type {
  Definition,
  DefinitionKind,
  MapOptions,
  MappedDefinition,
  MappedFile,
  Outline,
  OutlineOptions,
  RepositoryFile,
  RepositoryMap,
} from "../documents/outline.ts";
