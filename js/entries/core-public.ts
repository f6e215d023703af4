/** What every entry exports. */

export { breakdown, countMessages, countPart, countTools } from "../calls/count.ts";
export { compact } from "../calls/compact.ts";
export { count } from "../tokens/count.ts";
export { explainProfile, profile } from "../calls/profile.ts";
export { prune } from "../calls/prune.ts";
export { summarize } from "../calls/summarize.ts";
export { signalFrom } from "../engine/cancellation.ts";
export type { CancellationTokenLike } from "../engine/cancellation.ts";
export { cacheCost, clearingPays, placeMarks, stablePrefix } from "../cache/cache.ts";
export { fitResults, jsonSchema, offload, truncate } from "../results/truncate.ts";
export type {
  FitOptions,
  OffloadOptions,
  OffloadEvent,
  Offloaded,
  ResultSize,
  TruncateOptions,
  Truncated,
} from "../results/truncate.ts";
export { toolContent } from "../results/tool-content.ts";
export type { ToolContent, ToolContentEvent, ToolContentOptions } from "../results/tool-content.ts";
export type { StoredResult, StoreResult } from "../results/storing.ts";
export { budgetResults, clearResults } from "../results/budget.ts";
export { quality } from "../calls/quality.ts";
export { convert } from "../formats/convert.ts";
export type { ConversionLoss, Converted, ConvertOptions } from "../formats/convert.ts";
export { diagnose } from "../doctor/diagnose.ts";
export type { DiagnoseOptions, Diagnosis, LimitFinding } from "../doctor/diagnose.ts";
export type { RequestLimits } from "../doctor/limits.ts";
export { mend } from "../doctor/mend.ts";
export type { Mended } from "../doctor/mend.ts";
export type { Repeat } from "../doctor/repeats.ts";
export { repair, validate } from "../validity/validity.ts";
export {
  documentStructure,
  documentStructureSync,
  DocumentSummary,
  flattenTree,
  hasGrammar,
  languageOf,
  languages,
  loadGrammar,
  loadGrammarSync,
  registerGrammar,
  summarizeDocument,
  summarizeDocuments,
  summarizeDocumentSync,
} from "../documents/structure.ts";
export type {
  Basis,
  DocumentOptions,
  DocumentStructure,
  Elision,
  FlatTree,
  GrammarRegistration,
  GrammarSource,
  LoadGrammarOptions,
  Loss,
  ParseLimits,
  StructureNode,
  CompatibleSwitches,
  CostNode,
  Costs,
  Rebased,
  Summaries,
  SummaryDocument,
  SummaryEdit,
  SummaryOptions,
  TreeCursorLike,
  TreeLike,
  Why,
} from "../documents/structure.ts";
export { Conversation } from "../conversation/conversation.ts";
export { openConversation } from "../conversation/open.ts";
export type { AnyEvent, EventOf } from "../conversation/events.ts";
export { indexedDbStorage } from "../conversation/indexeddb-storage.ts";
export type { IndexedDbLike } from "../conversation/indexeddb-storage.ts";
export { memoryStorage } from "../conversation/storage.ts";
export type { ConversationStorage, HostStorage } from "../conversation/storage.ts";
export type {
  AnthropicChatMessage,
  FormatMessages,
  GeminiTurn,
  MessageOf,
  OpenAIChatMessage,
} from "../conversation/format-messages.ts";
export type * from "../conversation/types.ts";
export type { StoredSummary } from "../conversation/imported.ts";
export { mementoStorage, workspaceStorage } from "../conversation/vscode-storage.ts";
export type { FileSystemLike, MementoLike, UriLike } from "../conversation/vscode-storage.ts";
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
export { encodingForModel } from "../tokens/count.ts";
export { EspalierError, isEspalierError } from "../errors/errors.ts";
export type {
  Contributor,
  ErrorCode,
  ErrorDetails,
  ErrorFields,
  ExceededDetails,
  FailedDetails,
  PinDetails,
  RefusedDetails,
} from "../errors/errors.ts";
export { initFrom, initSync, isReady, resetEngine } from "../engine/engine.ts";
export type { WasmSource } from "../engine/engine.ts";
export { ConversationLog } from "../log/log.ts";
export type * from "../log/types.ts";
export type { FindOptions, FoundMessage } from "../log/search.ts";
export type { MessageIndexLike, SearchLoader, SearchModule } from "../log/loader.ts";
export {
  Calibration,
  clearCache,
  countBatch,
  decode,
  encode,
  estimate,
  prefixWithin,
  suffixWithin,
  tokenOffsets,
} from "../tokens/texts.ts";
export type { Estimate, Estimator, Fit, Prediction, TextOptions } from "../tokens/texts.ts";
export { Pruner } from "../calls/pruner.ts";
export { recallTool } from "../recall/tool.ts";
export type { RecallTool, RecallToolOptions } from "../recall/tool.ts";
export type { RecallDefinitions, RecallParameters } from "../recall/definitions.ts";
export { Recovery } from "../calls/recovery.ts";
export type { Answer, NextStep, Refusal, RefusalKind, SilentOverflow, Tries } from "../calls/recovery.ts";
export { request } from "../calls/request.ts";
export type { Attempt, RequestEvent, RequestOptions, RequestResult, Send, SendContext } from "../calls/request.ts";
export { TokenWorker } from "../tokens/worker.ts";
export type { TokenWorkerOptions, WorkerLike } from "../tokens/worker.ts";
export { settingsFrom } from "../settings/settings-from.ts";
export type {
  IgnoredSetting,
  ReadSettings,
  SettingsOptions,
  SettingsProduct,
  SettingsSource,
} from "../settings/types.ts";
export { addUsage, usageCost } from "../tokens/usage.ts";
export type { UsageCost } from "../tokens/usage.ts";
export { hasEncoding, loadEncoding, loadEncodingSync } from "../engine/vocabulary.ts";
export type * from "../types/index.ts";
export type { HostTokenizer } from "../tokens/host-tokenizer.ts";
