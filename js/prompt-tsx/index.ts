/**
 * `espalier/prompt-tsx`: everything that `@vscode/prompt-tsx` 0.4.0-alpha.9 exports, under the same names. A codebase
 * migrates by changing the import.
 */

import "../jsx/classic.ts";
import type {
  CancellationToken,
  ChatDocumentContext,
  ChatResponsePart,
  LanguageModelChat,
  LanguageModelChatMessage,
  Progress,
} from "../prompt/host-types.ts";
import { OutputMode, PromptRenderer, Raw, VSCodeTokenizer } from "../prompt/index.ts";
import type { PromptElementJSON } from "../prompt/json-tree.ts";
import type { ModeToChatMessageType } from "../prompt/output/mode.ts";
import type { BasePromptElementProps, IChatEndpointInfo, PromptElementCtor } from "../prompt/piece.ts";
import type { MetadataMap, PromptReference } from "../prompt/results.ts";
import type { ITokenizer } from "../prompt/tokenizer.ts";

export {
  AbstractKeepWith,
  AssistantMessage,
  BaseChatMessage,
  BudgetExceededError,
  BuiltinTokenizer,
  ChatResponseReferencePartStatusKind,
  Chunk,
  Document,
  Expandable,
  HTMLTracer,
  IfEmpty,
  Image,
  isChatMessagePromptElement,
  JSONTree,
  LegacyPrioritization,
  LogicalWrapper,
  MetadataMap,
  OpenAI,
  OutputMode,
  PrioritizedList,
  PromptElement,
  PromptMetadata,
  PromptReference,
  PromptRenderer,
  Raw,
  setVSCode,
  SystemMessage,
  TextChunk,
  TokenLimit,
  ToolMessage,
  ToolResult,
  toMode,
  toOpenAI,
  toVSCode,
  useKeepWith,
  UserMessage,
  VSCodeTokenizer,
} from "../prompt/index.ts";
export * from "./deep.ts";
export type * from "../prompt/elements/index.ts";
export type { ChatDocumentContext, ChatResponsePart } from "../prompt/host-types.ts";
export type {
  BuiltinTokenizerOptions,
  PromisedTokenizer,
  IHTMLRouter,
  IHTMLServer,
  ITokenizer,
  ModeToChatMessageType,
  QueueItem,
  RenderPromptResult,
} from "../prompt/index.ts";
export type * from "../prompt/piece.ts";
export type { BasePromptSizing as PromptSizing } from "../prompt/piece.ts";
export type * from "../prompt/tracer.ts";

/** The type of rendered elements in tool results. */
export const contentType = "application/vnd.codechat.prompt+json.1";

interface Rendered<Message> {
  messages: Message[];
  tokenCount: number;
  metadata: MetadataMap;
  usedContext: ChatDocumentContext[];
  references: PromptReference[];
}

/**
 * Renders an element to the messages of a model. `counter` is a tokenizer, or a model of VS Code.
 *
 * ```tsx
 * import * as vscode from "vscode";
 * import { PromptElement, renderPrompt, UserMessage } from "espalier/prompt-tsx";
 * import type { BasePromptElementProps } from "espalier/prompt-tsx";
 *
 * class Question extends PromptElement<{ text: string } & BasePromptElementProps> {
 *   render() {
 *     return <UserMessage>{this.props.text}</UserMessage>;
 *   }
 * }
 * const [model] = await vscode.lm.selectChatModels({ family: "gpt-4o" });
 * if (!model) throw new Error("There is no such model.");
 * const endpoint = { modelMaxPromptTokens: model.maxInputTokens };
 * const { messages } = await renderPrompt(Question, { text: "Why does this fail?" }, endpoint, model);
 * messages.length; // => 1
 * ```
 */
export function renderPrompt<P extends BasePromptElementProps>(
  ctor: PromptElementCtor<P, any>,
  props: P,
  endpoint: IChatEndpointInfo,
  counter: ITokenizer<OutputMode.VSCode> | LanguageModelChat,
  progress?: Progress<ChatResponsePart>,
  token?: CancellationToken,
  mode?: OutputMode.VSCode,
): Promise<Rendered<LanguageModelChatMessage>>;
export function renderPrompt<P extends BasePromptElementProps, M extends OutputMode>(
  ctor: PromptElementCtor<P, any>,
  props: P,
  endpoint: IChatEndpointInfo,
  counter: ITokenizer<M>,
  progress?: Progress<ChatResponsePart>,
  token?: CancellationToken,
): Promise<Rendered<ModeToChatMessageType[M]>>;
export async function renderPrompt(
  ctor: PromptElementCtor<any, any>,
  props: any,
  endpoint: IChatEndpointInfo,
  counter: ITokenizer<any> | LanguageModelChat,
  progress?: Progress<ChatResponsePart>,
  token?: CancellationToken,
  mode: OutputMode = OutputMode.VSCode,
): Promise<Rendered<any>> {
  const tokenizer = isModel(counter)
    ? new VSCodeTokenizer((text, cancellation) => counter.countTokens(text, cancellation), mode)
    : counter;
  const renderer = new PromptRenderer(endpoint, ctor, props, tokenizer);
  const result = await renderer.render(progress, token);
  return { ...result, usedContext: renderer.getUsedContext() };
}

function isModel(counter: ITokenizer<any> | LanguageModelChat | undefined): counter is LanguageModelChat {
  return Object(counter) === counter && "countTokens" in counter!;
}

/**
 * Renders an element to plain data that a caller inserts into its own prompt with `<elementJSON data={…} />` or
 * `<ToolResult />`. Nothing is pruned; elements see `budget`.
 */
export function renderElementJSON<P extends BasePromptElementProps>(
  ctor: PromptElementCtor<P, any>,
  props: P,
  budget:
    | { tokenBudget: number; countTokens(text: string, token?: CancellationToken): PromiseLike<number> }
    | undefined,
  token?: CancellationToken,
): Promise<PromptElementJSON> {
  const tokenizer: ITokenizer<OutputMode.Raw> = {
    mode: OutputMode.Raw,
    countMessageTokens() {
      throw new Error("Tools may only return text, not messages.");
    },
    tokenLength: (part, cancellation) =>
      part.type !== Raw.ChatCompletionContentPartKind.Text
        ? 0
        : ((budget ? budget.countTokens(part.text, cancellation) : 1) as number | Promise<number>),
  };
  const endpoint = { modelMaxPromptTokens: budget?.tokenBudget ?? Number.MAX_SAFE_INTEGER };
  return new PromptRenderer(endpoint, ctor, props, tokenizer).renderElementJSON(token);
}
