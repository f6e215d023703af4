/** The drop-in module's functions: a renderer for one use. */

import { OutputMode } from "../prompt/output/mode.ts";
import { ChatCompletionContentPartKind } from "../prompt/output/raw.ts";
import { PromptRenderer } from "../prompt/renderer.ts";
import { VSCodeTokenizer } from "../prompt/tokenizer.ts";
import type { CancellationToken, ChatDocumentContext, ChatResponsePart, LanguageModelChat, LanguageModelChatMessage, Progress } from "../prompt/host-types.ts";
import type { PromptElementJSON } from "../prompt/json-tree.ts";
import type { ModeToChatMessageType } from "../prompt/output/mode.ts";
import type { BasePromptElementProps, IChatEndpointInfo, PromptElementCtor } from "../prompt/piece.ts";
import type { MetadataMap, PromptReference } from "../prompt/results.ts";
import type { ITokenizer } from "../prompt/tokenizer.ts";

/** Under this type a tool hands over a prompt tree: `{ [contentType]: await renderElementJSON(…) }`. */
export const contentType = "application/vnd.codechat.prompt+json.1";

/** What `renderPrompt` resolves to. */
export interface RenderedPrompt<Message> {
  messages: Message[];
  tokenCount: number;
  metadata: MetadataMap;
  usedContext: ChatDocumentContext[];
  references: PromptReference[];
}

/**
 * Renders a prompt for a model. Counted by a tokenizer, the messages come in that tokenizer's mode; counted by a model of VS Code, in
 * VS Code's form.
 *
 * ```js
 * const { messages } = await renderPrompt(MyPrompt, { question }, { modelMaxPromptTokens: model.maxInputTokens }, model);
 * const reply = await model.sendRequest(messages, {}, token);
 * ```
 */
export function renderPrompt<P extends BasePromptElementProps>(
  ctor: PromptElementCtor<P, any>, props: P, endpoint: IChatEndpointInfo, tokenizer: ITokenizer<OutputMode.VSCode> | LanguageModelChat,
  progress?: Progress<ChatResponsePart>, token?: CancellationToken, mode?: OutputMode.VSCode,
): Promise<RenderedPrompt<LanguageModelChatMessage>>;
export function renderPrompt<P extends BasePromptElementProps, TMode extends OutputMode>(
  ctor: PromptElementCtor<P, any>, props: P, endpoint: IChatEndpointInfo, tokenizer: ITokenizer<TMode>,
  progress?: Progress<ChatResponsePart>, token?: CancellationToken,
): Promise<RenderedPrompt<ModeToChatMessageType[TMode]>>;
export async function renderPrompt(
  ctor: PromptElementCtor<any, any>, props: any, endpoint: IChatEndpointInfo, tokenizer: ITokenizer | LanguageModelChat,
  progress?: Progress<ChatResponsePart>, token?: CancellationToken, mode: OutputMode = OutputMode.VSCode,
): Promise<RenderedPrompt<any>> {
  // Called as a method: models are objects of classes.
  const counted = "countTokens" in tokenizer ? new VSCodeTokenizer((text, stop) => tokenizer.countTokens(text, stop), mode) : tokenizer;
  const renderer = new PromptRenderer(endpoint, ctor, props, counted);
  const result = await renderer.render(progress, token);
  return { ...result, usedContext: renderer.getUsedContext() };
}

/**
 * Renders elements to plain data, for a tool that hands them to whoever called it. Nothing is pruned: budgets only tell the elements how
 * much to write. The caller puts the tree into its own prompt with `<elementJSON data={…} />` or `<ToolResult />`.
 *
 * ```js
 * const tree = await renderElementJSON(Findings, { matches }, options.tokenizationOptions, token);
 * return new vscode.LanguageModelToolResult([new vscode.LanguageModelPromptTsxPart(tree)]);
 * ```
 */
export function renderElementJSON<P extends BasePromptElementProps>(
  ctor: PromptElementCtor<P, any>, props: P,
  budget: { tokenBudget: number; countTokens(text: string, token?: CancellationToken): PromiseLike<number> } | undefined,
  token?: CancellationToken,
): Promise<PromptElementJSON> {
  const tokenizer: ITokenizer<OutputMode.Raw> = {
    mode: OutputMode.Raw,
    countMessageTokens() {
      throw new Error("Tools may only return text, not messages.");
    },
    // Without a budget nobody needs to know.
    async tokenLength(part, stop) {
      return budget && part.type === ChatCompletionContentPartKind.Text ? budget.countTokens(part.text, stop) : 1;
    },
  };
  return new PromptRenderer({ modelMaxPromptTokens: budget?.tokenBudget ?? Number.MAX_SAFE_INTEGER }, ctor, props, tokenizer).renderElementJSON(token);
}
