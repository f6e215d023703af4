/**
 * The options of every public call, one list for each. The compiler holds each list equal to its type: an option that is missing here, or
 * that the type no longer has, does not compile. Plain literals, so that a bundle keeps only the lists of the calls it makes.
 */

import type { ConvertOptions } from "../formats/convert.ts";
import type { DiagnoseOptions } from "../doctor/diagnose.ts";
import type { RequestLimits } from "../doctor/limits.ts";
import type { CompatibleSwitches } from "../documents/compatible.ts";
import type { ChangedFile, ReduceOptions } from "../documents/changed.ts";
import type { GrammarRegistration, LoadGrammarOptions } from "../documents/grammars.ts";
import type { MapOptions, OutlineOptions, RepositoryFile } from "../documents/outline.ts";
import type { SummaryDocument, SummaryOptions } from "../documents/summarize.ts";
import type { DocumentOptions, ParseLimits } from "../documents/structure.ts";
import type { ConversationOptions, PrepareOptions } from "../conversation/types.ts";
import type { InitOptions } from "../engine/init.ts";
import type { CodeMirrorInlineOptions } from "../inline-context/hosts/codemirror.ts";
import type { MonacoInlineOptions } from "../inline-context/hosts/monaco.ts";
import type { VSCodeInlineOptions } from "../inline-context/hosts/vscode.ts";
import type * as Inline from "../inline-context/types.ts";
import type { FindOptions } from "../log/search.ts";
import type { AdoptOptions, LogCompactOptions, LogImportOptions, LogOptions, LogPinRow } from "../log/types.ts";
import type { BuiltinTokenizerOptions } from "../prompt/builtin-tokenizer.ts";
import type { RenderOptions } from "../prompt/render.ts";
import type { AgentPromptProps } from "../prompt/request/agent-prompt.ts";
import type { RenderRequestOptions } from "../prompt/request/render-request.ts";
import type { AiSdkOptions, GeneratorOptions } from "../providers/ai-sdk.ts";
import type { HttpOptions, RequestOptions as ProviderRequestOptions, SendOptions } from "../providers/types.ts";
import type { VscodeOptions } from "../providers/vscode.ts";
import type { RecallToolOptions } from "../recall/tool.ts";
import type { RequestOptions } from "../calls/request.ts";
import type { BrowserFilesOptions } from "../search/sources/browser.ts";
import type { NodeFilesOptions } from "../search/sources/node-options.ts";
import type { FileRules, SourceOptions } from "../search/sources/rules.ts";
import type { IndexedMessage } from "../search/message-index.ts";
import type { SearchMessagesOptions } from "../search/messages.ts";
import type { VsCodeFilesOptions } from "../search/sources/vscode.ts";
import type { EmbedOptions, IndexOptions, SearchOptions, WorkOptions } from "../search/types.ts";
import type { ReadSessionOptions } from "../sessions/types.ts";
import type { TokenWorkerOptions } from "../tokens/worker.ts";
import type { ToolContentOptions } from "../results/tool-content.ts";
import type { FitOptions, OffloadOptions, TruncateOptions } from "../results/truncate.ts";
import type * as T from "../types.ts";
import type { Names } from "./known.ts";

// ---------------------------------------------------------------- counting

export const COUNT_TEXT: Names<{ encoding: 1; model: 1 }> = { encoding: 1, model: 1 };
export const TEXT: Names<{ encoding: 1 }> = { encoding: 1 };
export const ESTIMATE: Names<{ encoding: 1; rule: 1 }> = { encoding: 1, rule: 1 };
export const COUNT: Names<T.CountOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1,
};
export const COUNT_PART: Names<Omit<T.CountOptions, "tools"> & { role: 1 }> = {
  format: 1, encoding: 1, model: 1, costModel: 1, images: 1, imageSize: 1, tokenizer: 1, role: 1,
};
export const BREAKDOWN: Names<T.BreakdownOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, room: 1, tags: 1,
};
export const ROOM: Names<NonNullable<T.BreakdownOptions["room"]>> = {
  window: 1, outputReserve: 1, blockLine: 1, reported: 1,
};
export const MODEL: Names<T.ModelLimits> = {
  name: 1, maxPromptTokens: 1, maxInputTokens: 1, maxContextWindowTokens: 1, outputReserve: 1, defaultTier: 1,
  surcharge: 1,
};
export const WORKER: Names<TokenWorkerOptions> = { create: 1, vocabularies: 1, idle: 1, timeout: 1, onWarning: 1 };
export const WORKER_COUNT: Names<{ encoding: 1; signal: 1 }> = { encoding: 1, signal: 1 };
export const INIT: Names<InitOptions> = { wasm: 1, encodings: 1, vocabulary: 1 };

// ---------------------------------------------------------------- requests

export const PRUNE: Names<T.PruneOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, budget: 1,
  headroom: 1, keep: 1, backfill: 1, order: 1, priorities: 1, note: 1, sentenceShare: 1, previous: 1, cacheStep: 1, dropMedia: 1,
  maxImageBytes: 1, provider: 1, serverManaged: 1,
};
export const REQUEST: Names<RequestOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, budget: 1,
  headroom: 1, keep: 1, backfill: 1, order: 1, priorities: 1, note: 1, sentenceShare: 1, previous: 1, cacheStep: 1, dropMedia: 1,
  maxImageBytes: 1, provider: 1, serverManaged: 1, signal: 1, onEvent: 1, recovery: 1, pruner: 1, lowerOutput: 1,
  promptTokens: 1, predict: 1, date: 1,
};
export const VALIDATE: Names<T.ValidateOptions> = { format: 1, tools: 1, model: 1, purpose: 1, rules: 1, pending: 1 };
export const REPAIR: Names<T.RepairOptions> = {
  format: 1, tools: 1, model: 1, purpose: 1, rules: 1, pending: 1, provider: 1, orphans: 1, lostCalls: 1,
  dropThoughts: 1, opening: 1, closing: 1, lostText: 1,
};
export const MARKS: Names<T.MarkOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, profile: 1,
  scheme: 1, max: 1, lifetime: 1, previousNewest: 1, minimumPrefix: 1, summary: 1, system: 1, style: 1,
  providerKey: 1, dataPart: 1,
};
export const LIFETIME: Names<{ prefix: 1; messages: 1 }> = { prefix: 1, messages: 1 };
export const PREFIX: Names<T.PrefixOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, previousTools: 1,
  report: 1, previousReport: 1, counts: 1,
};
export const CACHE_COST: Names<T.CacheCostOptions> = {
  total: 1, shared: 1, marked: 1, output: 1, hitRate: 1, prices: 1, lifetime: 1,
};
export const CLEARING: Names<T.ClearingOptions> = {
  cleared: 1, suffix: 1, replacement: 1, extra: 1, requests: 1, hitRate: 1, prices: 1, lifetime: 1,
};
export const PRICES: Names<T.Prices> = { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 };
export const USAGE_COST: Names<{ lifetime: 1 }> = { lifetime: 1 };
export const TRIES: Names<{ outputReserve: 1 }> = { outputReserve: 1 };

// ---------------------------------------------------------------- results of tools

export const TRUNCATE: Names<TruncateOptions> = {
  limit: 1, head: 1, snap: 1, keep: 1, json: 1, clean: 1, recall: 1, marker: 1, profile: 1, encoding: 1,
};
export const JSON_SCHEMA: Names<{ limit: 1; profile: 1; encoding: 1 }> = { limit: 1, profile: 1, encoding: 1 };
export const FIT: Names<FitOptions> = { budget: 1, level: 1 };
export const OFFLOAD: Names<OffloadOptions> = {
  store: 1, threshold: 1, tool: 1, exempt: 1, readTool: 1, schemaTokens: 1, previewTokens: 1, limit: 1, timeout: 1,
  profile: 1, encoding: 1, signal: 1, onEvent: 1,
};
export const TOOL_CONTENT: Names<ToolContentOptions> = {
  store: 1, threshold: 1, tool: 1, exempt: 1, readTool: 1, schemaTokens: 1, previewTokens: 1, limit: 1, timeout: 1,
  profile: 1, encoding: 1, signal: 1, onEvent: 1, keep: 1, maxImageBytes: 1, readResource: 1, maxResources: 1,
  resourceLines: 1,
};
export const BUDGET_RESULTS: Names<T.BudgetResultsOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, keep: 1, exempt: 1,
  store: 1, timeout: 1, onEvent: 1, signal: 1, maxImageBytes: 1, budget: 1, rule: 1, level: 1, cap: 1, profile: 1,
};
export const CLEAR_RESULTS: Names<T.ClearResultsOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, keep: 1, exempt: 1,
  store: 1, timeout: 1, onEvent: 1, signal: 1, maxImageBytes: 1, profile: 1, budget: 1, above: 1, newest: 1,
  rounds: 1, protect: 1, atLeast: 1, protectLatest: 1,
};

// ---------------------------------------------------------------- compaction

export const COMPACT: Names<T.CompactOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, budget: 1,
  target: 1, provider: 1, llm: 1, focus: 1, force: 1, onFailure: 1, keep: 1, signal: 1, llmBudget: 1, timeout: 1, onProgress: 1,
  ledger: 1, profile: 1, ladder: 1, protect: 1, exempt: 1, trigger: 1, shape: 1, cacheWarm: 1, sections: 1, verify: 1,
  strict: 1, llmModel: 1, modelRules: 1, instructions: 1, blocks: 1, transcript: 1, recallTool: 1, readFile: 1,
  hooks: 1, hookTimeout: 1, jobId: 1, cover: 1, prices: 1,
};
export const SUMMARIZE: Names<T.SummarizeOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, focus: 1,
  signal: 1, timeout: 1, onProgress: 1, ledger: 1, sections: 1, verify: 1, llmModel: 1, modelRules: 1,
  instructions: 1, jobId: 1, profile: 1, purpose: 1, llm: 1, llmBudget: 1, onFailure: 1,
};
export const QUALITY: Names<T.QualityOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, ledger: 1,
  summary: 1, continuation: 1,
};
export const LEDGER: Names<T.LedgerRules> = { root: 1, tools: 1, dialect: 1, markers: 1, facts: 1 };
export const TOOL_RULE: Names<T.ToolRule> = { name: 1, kind: 1, path: 1, command: 1, content: 1, readOnly: 1 };
export const TRANSCRIPT: Names<NonNullable<T.CompactOptions["transcript"]>> = {
  path: 1, lines: 1, tool: 1, argument: 1,
};
export const HOOKS: Names<T.CompactHooks> = { preCompact: 1, postCompact: 1 };
export const COVER: Names<NonNullable<T.CompactOptions["cover"]>> = { from: 1, to: 1 };

// ---------------------------------------------------------------- conversations and logs

export const CONVERSATION: Names<ConversationOptions<unknown>> = {
  encoding: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, messages: 1, log: 1, storage: 1,
  format: 1, model: 1, profile: 1, provider: 1, system: 1, llm: 1, threshold: 1, contextSize: 1, preferLongContext: 1,
  automatic: 1, serverManaged: 1, background: 1, entropy: 1, clock: 1, timeouts: 1, checkpoints: 1, hooks: 1,
  compact: 1, onEvent: 1, eventNames: 1, session: 1, search: 1,
};
export const CONVERSATION_COMPACT: Names<NonNullable<ConversationOptions<unknown>["compact"]>> = {
  target: 1, provider: 1, onFailure: 1, keep: 1, llmBudget: 1, ledger: 1, profile: 1, ladder: 1, protect: 1, exempt: 1,
  trigger: 1, shape: 1, cacheWarm: 1, sections: 1, verify: 1, strict: 1, llmModel: 1, modelRules: 1, instructions: 1,
  blocks: 1, transcript: 1, recallTool: 1, readFile: 1, hooks: 1, hookTimeout: 1, jobId: 1, cover: 1, prices: 1,
};
export const TIMEOUTS: Names<NonNullable<ConversationOptions<unknown>["timeouts"]>> = {
  wait: 1, model: 1, hook: 1, storage: 1,
};
export const PREPARE: Names<PrepareOptions> = { tools: 1, model: 1, system: 1, signal: 1 };
export const BY_HAND: Names<{ focus: 1; signal: 1 }> = { focus: 1, signal: 1 };
export const PREVIEW: Names<{ focus: 1; summary: 1; model: 1; signal: 1; from: 1; to: 1 }> = {
  focus: 1, summary: 1, model: 1, signal: 1, from: 1, to: 1,
};
export const MEMORY: Names<{ model: 1 }> = { model: 1 };
export const LOG: Names<LogOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, tokenizer: 1, now: 1, search: 1,
};
export const RECALL: Names<RecallToolOptions> = { name: 1, format: 1, limit: 1 };
export const FIND: Names<FindOptions> = { limit: 1, onlyHidden: 1 };
export const LOG_IMPORT: Names<LogImportOptions<unknown>> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, tokenizer: 1, now: 1, search: 1,
  messages: 1, exact: 1, salvage: 1,
};
export const LOG_COUNTING: Names<Pick<LogOptions, "encoding" | "model" | "costModel">> = {
  encoding: 1, model: 1, costModel: 1,
};
/** Of a pin, and of a row of `pins()`, which can be pinned again. */
export const PIN: Names<LogPinRow> = { message: 1, part: 1, range: 1, fact: 1, reason: 1, id: 1, text: 1, tokens: 1, rewound: 1 };
export const ADOPT: Names<AdoptOptions> = { since: 1, trigger: 1, planId: 1, data: 1 };
export const LOG_COMPACT: Names<LogCompactOptions> = {
  budget: 1, target: 1, provider: 1, llm: 1, focus: 1, force: 1, onFailure: 1, keep: 1, signal: 1, llmBudget: 1, timeout: 1,
  onProgress: 1, ledger: 1, profile: 1, ladder: 1, protect: 1, exempt: 1, trigger: 1, shape: 1, cacheWarm: 1,
  sections: 1, verify: 1, strict: 1, llmModel: 1, modelRules: 1, instructions: 1, blocks: 1, transcript: 1,
  recallTool: 1, readFile: 1, hooks: 1, hookTimeout: 1, jobId: 1, cover: 1, prices: 1, planId: 1,
};

// ---------------------------------------------------------------- documents

export const DOCUMENT: Names<DocumentOptions & { signal: 1 }> = {
  language: 1, path: 1, mode: 1, tabSize: 1, tree: 1, limits: 1, signal: 1,
};
export const LIMITS: Names<ParseLimits> = { bytes: 1, work: 1 };
export const SUMMARY: Names<SummaryOptions> = {
  budget: 1, unit: 1, encoding: 1, model: 1, lineNumbers: 1, marker: 1, imports: 1, mode: 1, compatible: 1, signal: 1,
};
export const SUMMARY_DOCUMENT: Names<SummaryDocument & SummaryOptions> = {
  language: 1, path: 1, tabSize: 1, limits: 1, tree: 1, selection: 1, costs: 1, comments: 1, budget: 1, unit: 1,
  encoding: 1, model: 1, lineNumbers: 1, marker: 1, imports: 1, mode: 1, compatible: 1, signal: 1,
};
export const DOCUMENT_ITEM: Names<SummaryDocument & { text: 1 }> = {
  text: 1, language: 1, path: 1, tabSize: 1, limits: 1, tree: 1, selection: 1, costs: 1, comments: 1,
};
export const COMPATIBLE: Names<CompatibleSwitches & { attached: 1 }> = {
  tryPreserveTypeChecking: 1, alwaysUseEllipsisForElisions: 1, lineNumberStyle: 1, attached: 1,
};
export const REDUCE: Names<ReduceOptions> = {
  files: 1, budget: 1, unit: 1, overhead: 1, lineNumbers: 1, wording: 1, maxBatches: 1, encoding: 1, signal: 1,
};
export const CHANGED_FILE: Names<ChangedFile> = {
  path: 1, text: 1, language: 1, tabSize: 1, limits: 1, diff: 1, selections: 1,
};
export const OUTLINE: Names<OutlineOptions> = {
  language: 1, path: 1, tabSize: 1, limits: 1, budget: 1, lineNumbers: 1, encoding: 1, signal: 1,
};
export const MAP: Names<MapOptions> = { budget: 1, focus: 1, mentioned: 1, encoding: 1, onProgress: 1, signal: 1 };
export const MAP_FILE: Names<RepositoryFile> = { path: 1, text: 1, language: 1, tabSize: 1, limits: 1 };
export const GRAMMAR: Names<GrammarRegistration> = { language: 1, wasm: 1, query: 1, extensions: 1 };
export const LOAD_GRAMMAR: Names<LoadGrammarOptions> = { wasm: 1, signal: 1 };

// ---------------------------------------------------------------- prompt trees

export const SEARCH_MESSAGES: Names<SearchMessagesOptions> = { format: 1, budget: 1, call: 1, encoding: 1, model: 1, costModel: 1 };
export const INDEXED_MESSAGE: Names<IndexedMessage> = { id: 1, number: 1, round: 1, role: 1, about: 1, text: 1 };
export const SEARCH_MESSAGE_INDEX: Names<{ limit: 1 }> = { limit: 1 };
export const SEARCH_CALL: Names<{ id: 1; name: 1 }> = { id: 1, name: 1 };
export const RENDER: Names<RenderOptions> = {
  budget: 1, format: 1, encoding: 1, model: 1, images: 1, costModel: 1, tools: 1, backfill: 1, signal: 1, token: 1,
  tracer: 1,
};
export const RENDER_REQUEST: Names<RenderRequestOptions> = {
  conversation: 1, budget: 1, format: 1, encoding: 1, model: 1, images: 1, costModel: 1, tools: 1, backfill: 1, signal: 1,
  token: 1, tracer: 1, llm: 1, drop: 1,
};
/** Props of an agent's prompt and of the history in it. */
export const AGENT_PROMPT: Names<Omit<AgentPromptProps, "children"> & { children: 1 }> = {
  system: 1, context: 1, conversation: 1, messages: 1, format: 1, resultShare: 1, cacheBreakpoint: 1, priority: 1,
  passPriority: 1, flexBasis: 1, flexGrow: 1, flexReserve: 1, children: 1,
};
export const TOKENIZER: Names<BuiltinTokenizerOptions<never>> = { mode: 1, encoding: 1, model: 1, costModel: 1 };

// ---------------------------------------------------------------- providers

export const HTTP: Names<HttpOptions> = {
  model: 1, apiKey: 1, baseUrl: 1, headers: 1, fetch: 1, maxTokens: 1, refusals: 1, timeout: 1, idleTimeout: 1,
  retries: 1, maxRetryAfter: 1, onEvent: 1, clock: 1,
};
export const AI_SDK: Names<AiSdkOptions> = {
  model: 1, refusals: 1, maxTokens: 1, clock: 1, timeout: 1, idleTimeout: 1, retries: 1, maxRetryAfter: 1, onEvent: 1,
};
export const GENERATOR: Names<GeneratorOptions> = {
  model: 1, generate: 1, refusals: 1, maxTokens: 1, clock: 1, timeout: 1, idleTimeout: 1, retries: 1,
  maxRetryAfter: 1, onEvent: 1,
};
export const VSCODE: Names<VscodeOptions> = {
  model: 1, api: 1, justification: 1, refusals: 1, maxTokens: 1, clock: 1, timeout: 1, idleTimeout: 1, retries: 1,
  maxRetryAfter: 1, onEvent: 1,
};
export const TO_REQUEST: Names<ProviderRequestOptions> = {
  tools: 1, system: 1, maxTokens: 1, temperature: 1, format: 1, contextManagement: 1, extra: 1,
};
export const SEND: Names<SendOptions> = {
  signal: 1, stream: 1, onText: 1, onPart: 1, timeout: 1, idleTimeout: 1, retries: 1, onEvent: 1,
};

// ---------------------------------------------------------------- sessions

export const READ_SESSION: Names<ReadSessionOptions> = { layout: 1, name: 1, sideChain: 1, conversation: 1, history: 1 };
export const CONVERT: Names<ConvertOptions> = { from: 1, tools: 1 };
export const DIAGNOSE: Names<DiagnoseOptions> = {
  format: 1, encoding: 1, model: 1, costModel: 1, tools: 1, images: 1, imageSize: 1, tokenizer: 1, provider: 1, limits: 1,
};
export const REQUEST_LIMITS: Names<RequestLimits> = {
  maxTokens: 1, maxBytes: 1, maxImages: 1, maxImageBytes: 1, maxImageSide: 1, maxImageSideOfMany: 1,
};

// ---------------------------------------------------------------- workspace search: where files come from

export const FILE_RULES: Names<FileRules> = {
  binary: 1, generated: 1, folders: 1, names: 1, maxBytes: 1, larger: 1, binaryBytes: 1, minifiable: 1,
  maxLineLength: 1, maxAverageLineLength: 1, ignore: 1,
};
export const SOURCE: Names<SourceOptions> = { rules: 1, ignoreFiles: 1 };
export const NODE_FILES: Names<NodeFilesOptions> = { rules: 1, ignoreFiles: 1, delayMs: 1 };
export const VSCODE_FILES: Names<VsCodeFilesOptions> = { rules: 1, ignoreFiles: 1, delayMs: 1, settings: 1, unsaved: 1 };
export const BROWSER_FILES: Names<BrowserFilesOptions> = { rules: 1, ignoreFiles: 1, pollMs: 1 };

// ---------------------------------------------------------------- workspace search: the index

export const INDEX: Names<IndexOptions> = {
  profile: 1, encoding: 1, chunkBudget: 1, storage: 1, source: 1, definitions: 1, embeddings: 1, worker: 1,
  vocabulary: 1, onWarning: 1, sliceMs: 1,
};
export const EMBED: Names<EmbedOptions> = { embed: 1, model: 1, batchSize: 1, concurrency: 1, timeoutMs: 1 };
export const WORK: Names<WorkOptions> = { signal: 1, onProgress: 1 };
export const SEARCH: Names<SearchOptions> = {
  budget: 1, maxResults: 1, maxSpread: 1, contributions: 1, filter: 1, remote: 1, remoteTimeoutMs: 1,
  embeddingsTimeoutMs: 1, minSimilarityShare: 1, rerank: 1, rerankTimeoutMs: 1, keywords: 1, keywordsTimeoutMs: 1,
  fullWorkspace: 1, combine: 1, rrfK: 1, readTimeoutMs: 1, hitShare: 1, summarize: 1, summarizeTimeoutMs: 1, signal: 1,
};
export const WHOLE: Names<{ files: number; tokens: number }> = { files: 1, tokens: 1 };

// ---------------------------------------------------------------- inline context

export const INLINE_REQUEST: Names<Inline.InlineRequest> = {
  file: 1, cursor: 1, neighbours: 1, items: 1, edits: 1, excluded: 1, elapsedMs: 1,
  profile: 1, budget: 1, window: 1, outputReserve: 1, encoding: 1, model: 1, tokenizer: 1, suffixShare: 1,
  suffixReserve: 1, minChars: 1, charsPerToken: 1, contextShare: 1, stableSlack: 1, cascade: 1, exact: 1, mode: 1,
  crossing: 1, similarBesideSnippets: 1, editForm: 1, similarLimits: 1, neighbourLimits: 1, editLimits: 1,
  providerMs: 1, buildingMs: 1,
};
export const INLINE_SESSION: Names<Inline.InlineSessionOptions> = {
  profile: 1, budget: 1, window: 1, outputReserve: 1, encoding: 1, model: 1, tokenizer: 1, suffixShare: 1,
  suffixReserve: 1, minChars: 1, charsPerToken: 1, contextShare: 1, stableSlack: 1, cascade: 1, exact: 1, mode: 1,
  crossing: 1, similarBesideSnippets: 1, editForm: 1, similarLimits: 1, neighbourLimits: 1, editLimits: 1,
  providerMs: 1, buildingMs: 1, providers: 1, maxCacheBytes: 1, maxCompletions: 1, maxPlaces: 1,
  nearPlaceLines: 1, maxRecentFiles: 1, maxCachedDocuments: 1, moveDebounceMs: 1, clock: 1,
};
export const INLINE_CONTEXT: Names<Inline.InlineSessionRequest> = {
  file: 1, cursor: 1, items: 1, excluded: 1, elapsedMs: 1, maxFreshChars: 1,
};
export const INLINE_CONTEXT_FOR: Names<Inline.InlineAsyncRequest> = {
  file: 1, cursor: 1, items: 1, excluded: 1, maxFreshChars: 1, providers: 1, timeoutMs: 1, onPartial: 1, signal: 1,
};
export const INLINE_MOVE: Names<Inline.InlineMove> = { path: 1, cursor: 1, by: 1, isActiveEditor: 1, isOneCursor: 1 };
export const INLINE_NOW: Names<{ now: 1 }> = { now: 1 };
export const INLINE_CHANGE: Names<{ now: 1; version: 1 }> = { now: 1, version: 1 };
export const INLINE_FILE: Names<Inline.InlineFile> = { path: 1, text: 1, language: 1, scheme: 1, focusedMs: 1 };
export const INLINE_ITEM: Names<Inline.InlineItem> = {
  id: 1, text: 1, kind: 1, path: 1, priority: 1, weight: 1, arrivedMs: 1, isForTimeout: 1,
};
export const INLINE_EDIT: Names<Inline.InlineEdit> = { path: 1, before: 1, after: 1, atMs: 1 };
export const INLINE_SHARES: Names<Inline.InlineShares> = { prefix: 1, suffix: 1, stable: 1, volatile: 1 };
export const INLINE_SIMILAR: Names<Inline.SimilarLimits> = {
  window: 1, threshold: 1, maxSnippets: 1, maxPerFile: 1, maxFiles: 1, maxChars: 1, score: 1, words: 1,
};
export const INLINE_NEIGHBOURS: Names<Inline.NeighbourLimits> = {
  maxFiles: 1, maxChars: 1, focusEntries: 1, fileSchemeOnly: 1, aliases: 1,
};
export const INLINE_EDITS: Names<Inline.EditLimits> = {
  debounceMs: 1, maxFiles: 1, maxEdits: 1, contextLines: 1, mergeLines: 1, maxEditChars: 1, maxLines: 1,
  maxFileChars: 1, nearLines: 1, lineOffset: 1,
};
export const INLINE_VSCODE: Names<VSCodeInlineOptions> = { accepts: 1, onError: 1 };
export const INLINE_MONACO: Names<MonacoInlineOptions> = { selector: 1, pathOf: 1, onError: 1 };
export const INLINE_CODEMIRROR: Names<CodeMirrorInlineOptions> = { path: 1, language: 1 };
