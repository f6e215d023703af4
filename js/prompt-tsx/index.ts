/**
 * The drop-in module: everything under the names of `@vscode/prompt-tsx`, so that an alias is all that an extension has to change.
 *
 * ```js
 * // esbuild
 * build({ alias: { "@vscode/prompt-tsx": "espalier/prompt-tsx" } });
 * ```
 */

import "../jsx/classic.ts";

export { BudgetExceededError } from "../prompt/budget-error.ts";
export { PromptElement } from "../prompt/element.ts";
export * from "../prompt/elements.ts";
export { HTMLTracer } from "../prompt/html-tracer.ts";
export type { IHTMLRouter, IHTMLServer } from "../prompt/html-tracer.ts";
export * as JSONTree from "../prompt/json-tree.ts";
export { OpenAI, OutputMode, Raw, toMode, toOpenAI, toVSCode } from "../prompt/output/mode.ts";
export type { ModeToChatMessageType } from "../prompt/output/mode.ts";
export { setVSCode } from "../prompt/output/vscode-classes.ts";
export type {
  BasePromptElementProps, IChatEndpointInfo, PromptElementCtor, PromptElementProps, PromptPiece, PromptPieceChild, PromptSizing, RuntimePromptElementProps,
} from "../prompt/piece.ts";
export { PromptRenderer } from "../prompt/renderer.ts";
export type { QueueItem, RenderPromptResult } from "../prompt/renderer.ts";
export { ChatResponseReferencePartStatusKind, MetadataMap, PromptMetadata, PromptReference } from "../prompt/results.ts";
export { VSCodeTokenizer } from "../prompt/tokenizer.ts";
export type { ITokenizer } from "../prompt/tokenizer.ts";
export type * from "../prompt/tracer.ts";
export { contentType, renderElementJSON, renderPrompt } from "./render.ts";
