/** Prompt trees: what the native entries export of them. */

export { BudgetExceededError } from "./budget-error.ts";
export type { BudgetContributor, BudgetErrorDetails } from "./budget-error.ts";
export { BuiltinTokenizer } from "./builtin-tokenizer.ts";
export type { BuiltinTokenizerOptions } from "./builtin-tokenizer.ts";
export { PromptElement } from "./element.ts";
export * from "./elements.ts";
export type { Explanation, PromptTrace, RemovalRule } from "./explain.ts";
export * from "./history.ts";
export * as JSONTree from "./json-tree.ts";
export type { PromptElementJSON } from "./json-tree.ts";
export * from "./output/mode.ts";
export { toAnthropic } from "./output/anthropic.ts";
export { toGemini } from "./output/gemini.ts";
export { setVSCode } from "./output/vscode-classes.ts";
export { createPiece, Fragment } from "./piece.ts";
export type * from "./piece.ts";
export { render, Rendered } from "./render.ts";
export type { RenderFormat, RenderOptions, Requests } from "./render.ts";
export { PromptRenderer } from "./renderer.ts";
export type { QueueItem, RenderPromptResult } from "./renderer.ts";
export { ChatResponseReferencePartStatusKind, MetadataMap, PromptMetadata, PromptReference } from "./results.ts";
export { VSCodeTokenizer } from "./tokenizer.ts";
export type { ITokenizer } from "./tokenizer.ts";
export type * from "./tracer.ts";
export { Tag } from "./tag.ts";
export type { TagProps } from "./tag.ts";
