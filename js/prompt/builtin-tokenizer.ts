/** The package's own counting as a tokenizer for the drop-in module. */

import { documentPart } from "../formats/media.ts";
import { countMessages, countTools } from "../calls/count.ts";
import { call, ready, wasm } from "../engine/engine.ts";
import { countText } from "../tokens/texts.ts";
import type { CostModelName, CountReport, EncodingName } from "../types/count.ts";
import type { NeutralMessage, Part } from "../types/messages.ts";
import { ensureEncoding, loadNeeded } from "../engine/vocabulary.ts";
import { OutputMode } from "./output/mode.ts";
import type { ModeToChatMessageType } from "./output/mode.ts";
import { ChatCompletionContentPartKind, ChatRole } from "../formats/raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../formats/raw/prompt.ts";
import type { ITokenizer } from "./tokenizer.ts";
import { check } from "../options/check.ts";
import { TOKENIZER } from "../options/schemas/prompt.ts";

export interface BuiltinTokenizerOptions<M extends OutputMode> {
  /** The form of the messages. */
  mode: M;
  /** Takes precedence over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /**
   * Picks the encoding, and how pictures are counted if the cost model depends on the model (`espalier` does; Copilot
   * Chat's have one rule for all).
   */
  model?: string;
  /** How messages are counted. Default `copilot-chat`. */
  costModel?: CostModelName;
}

/** A {@link BuiltinTokenizer} whose methods return promises. */
export interface PromisedTokenizer<M extends OutputMode> extends ITokenizer<M> {
  tokenLength(part: ChatCompletionContentPart | string): Promise<number>;
  countMessageTokens(message: ModeToChatMessageType[M]): Promise<number>;
  countMessagesTokens(messages: readonly ModeToChatMessageType[M][]): Promise<number>;
  countToolTokens(tools: readonly unknown[]): Promise<number>;
}

/** Tokens that providers charge for any list of messages. */
const LIST_TOKENS = 3;

/**
 * Counts with the package's own engine. A renderer with such a tokenizer counts inside the engine, text by text while
 * it prunes; no other tokenizer can do that.
 *
 * ```tsx
 * import { BuiltinTokenizer, OutputMode, PromptElement, PromptRenderer, UserMessage } from "espalier/prompt";
 *
 * class Question extends PromptElement {
 *   render() {
 *     return <UserMessage>Why does this fail?</UserMessage>;
 *   }
 * }
 * const tokenizer = new BuiltinTokenizer({ mode: OutputMode.OpenAI, model: "gpt-4o" });
 * const renderer = new PromptRenderer({ modelMaxPromptTokens: 8_000 }, Question, {}, tokenizer);
 * const { messages } = await renderer.render();
 * messages[0]?.content; // => "Why does this fail?"
 * ```
 */
export class BuiltinTokenizer<M extends OutputMode> implements ITokenizer<M> {
  readonly mode: M;
  readonly #options: BuiltinTokenizerOptions<M>;

  constructor(options: BuiltinTokenizerOptions<M>) {
    this.mode = check(options, TOKENIZER).mode;
    this.#options = options;
  }

  /**
   * What the engine needs to know. Computed when it is needed, since the engine may not be loaded when the tokenizer is
   * made.
   */
  get counting(): { encoding: EncodingName; costModel: CostModelName; model?: string } {
    const { encoding, model, costModel = "copilot-chat" } = this.#options;
    const name =
      encoding ?? (model === undefined ? "o200k_base" : (call(() => wasm().encodingForModel(model)) as EncodingName));
    return { encoding: name, costModel, ...(model !== undefined && { model }) };
  }

  /** Counts a text, or a single part: an opaque part costs its `tokenUsage`, a document is estimated from its size. */
  tokenLength(part: ChatCompletionContentPart | string): number {
    const { counting } = this;
    ensureEncoding(counting.encoding);
    if (typeof part === "string") return countText(part, counting.encoding);
    if (part.type === ChatCompletionContentPartKind.Text) return countText(part.text, counting.encoding);
    return (call(() => wasm().countPart(neutral(part), "user", counting)) as { tokens: number }).tokens;
  }

  /** Counts the messages of a request and the cost of the list itself (3 tokens). Tool definitions are not included. */
  countMessagesTokens(messages: readonly ModeToChatMessageType[M][]): number {
    return messages.reduce((sum, message) => sum + this.countMessageTokens(message), LIST_TOKENS);
  }

  /**
   * Counts the tool definitions of a request, in the form of OpenAI or VS Code.
   *
   * @throws EspalierError `bad_option` for an invalid definition
   */
  countToolTokens(tools: readonly unknown[]): number {
    const { counting } = this;
    ensureEncoding(counting.encoding);
    return countTools(tools, counting).total;
  }

  /**
   * The same methods, each returning a promise, for code that calls `.then` or races the count against a timer. They
   * first load the vocabulary if a place to load it from is known. The synchronous methods need a call of
   * `loadEncoding` in browsers.
   *
   * ```ts
   * import { BuiltinTokenizer, OutputMode } from "espalier/prompt";
   *
   * const tokenizer = new BuiltinTokenizer({ mode: OutputMode.Raw });
   * await tokenizer.promises.tokenLength("Hello world!"); // => 3
   * ```
   */
  get promises(): PromisedTokenizer<M> {
    const later =
      <A extends unknown[]>(count: (...told: A) => number) =>
      async (...told: A): Promise<number> => {
        await ready();
        await loadNeeded(this.counting.encoding);
        return count(...told);
      };
    return {
      mode: this.mode,
      tokenLength: later((part) => this.tokenLength(part)),
      countMessageTokens: later((message) => this.countMessageTokens(message)),
      countMessagesTokens: later((messages) => this.countMessagesTokens(messages)),
      countToolTokens: later((tools) => this.countToolTokens(tools)),
    };
  }

  countMessageTokens(message: ModeToChatMessageType[M]): number {
    ensureEncoding(this.counting.encoding);
    if (this.mode === OutputMode.Raw) return this.#count(neutralMessage(message as ChatMessage));
    const format = this.mode === OutputMode.OpenAI ? "openai-chat" : "vscode";
    const { perMessage } = countMessages([message], { format, ...this.counting });
    return perMessage.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #count(message: Omit<NeutralMessage, "id">): number {
    return messageTokens(message, this.counting);
  }
}

function messageTokens(message: Omit<NeutralMessage, "id">, counting: Record<string, unknown>): number {
  const report = call(() => wasm().countMessages([{ id: "m0", ...message }], counting)) as CountReport;
  return report.perMessage[0]!.tokens;
}

/** Returns the tokens that a part other than text adds to a message. */
export function partTokens(part: ChatCompletionContentPart, counting: Record<string, unknown>): number {
  return (
    messageTokens({ role: "user", parts: [neutral(part)] }, counting) -
    messageTokens({ role: "user", parts: [] }, counting)
  );
}

/** Returns a raw message in the form that the engine reads. */
export function neutralMessage(message: ChatMessage): Omit<NeutralMessage, "id"> {
  const content = message.content.map(neutral);
  const name = message.name ? { name: message.name } : {};
  switch (message.role) {
    case ChatRole.Tool:
      return { role: "tool", parts: [{ type: "toolResult", callId: message.toolCallId ?? "", content }] };
    case ChatRole.Assistant: {
      const calls = (message.toolCalls ?? []).map(
        ({ id, function: called }): Part => ({
          type: "toolCall",
          callId: id,
          name: called.name,
          arguments: called.arguments,
        }),
      );
      return { role: "assistant", ...name, parts: [...content, ...calls] };
    }
    default:
      return { role: message.role === ChatRole.System ? "system" : "user", ...name, parts: content };
  }
}

function neutral(part: ChatCompletionContentPart): Part {
  switch (part.type) {
    case ChatCompletionContentPartKind.Text:
      return { type: "text", text: part.text };
    case ChatCompletionContentPartKind.Image: {
      const { url, detail, mediaType } = part.imageUrl;
      return { type: "image", url, ...(detail && { detail }), ...(mediaType && { mediaType }) };
    }
    case ChatCompletionContentPartKind.Document:
      return documentPart(part.documentData.data, part.documentData.mediaType);
    case ChatCompletionContentPartKind.CacheBreakpoint:
      return { type: "cacheMark" };
    default:
      return {
        type: "opaque",
        json: JSON.stringify(part.value) ?? "",
        ...(part.tokenUsage !== undefined && { tokens: part.tokenUsage }),
      };
  }
}
