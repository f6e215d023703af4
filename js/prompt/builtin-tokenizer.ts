/** The package's own counting as a tokenizer of the drop-in module. */

import { countMessages } from "../api.ts";
import { call, wasm } from "../engine.ts";
import { countText } from "../tokens.ts";
import type { CostModelName, CountReport, EncodingName, NeutralMessage, Part } from "../types.ts";
import { ensureEncoding } from "../vocabulary.ts";
import { OutputMode } from "./output/mode.ts";
import type { ModeToChatMessageType } from "./output/mode.ts";
import { ChatCompletionContentPartKind, ChatRole } from "./output/raw.ts";
import type { ChatCompletionContentPart, ChatMessage } from "./output/raw.ts";
import type { ITokenizer } from "./tokenizer.ts";

export interface BuiltinTokenizerOptions<M extends OutputMode> {
  /** The form of the messages. */
  mode: M;
  /** Wins over `model`. Default `o200k_base`. */
  encoding?: EncodingName;
  /** Picks the encoding; and how pictures are counted, where the cost model asks (`espalier` does, Copilot Chat's have one rule for all). */
  model?: string;
  /** How messages are counted. Default `copilot-chat`. */
  costModel?: CostModelName;
}

/**
 * Counts with the package's own engine. A renderer that is given one of these counts inside the engine, text by text as it prunes, which
 * no other tokenizer can.
 *
 * ```ts
 * const renderer = new PromptRenderer(endpoint, MyPrompt, props, new BuiltinTokenizer({ mode: OutputMode.OpenAI, model: "gpt-4o" }));
 * ```
 */
export class BuiltinTokenizer<M extends OutputMode> implements ITokenizer<M> {
  readonly mode: M;
  readonly #options: BuiltinTokenizerOptions<M>;

  constructor(options: BuiltinTokenizerOptions<M>) {
    this.mode = options.mode;
    this.#options = options;
  }

  /** What the engine is told. Not worked out before it is needed, since the engine may not be loaded when this is made. */
  get counting(): { encoding: EncodingName; costModel: CostModelName; model?: string } {
    const { encoding, model, costModel = "copilot-chat" } = this.#options;
    const name = encoding ?? (model === undefined ? "o200k_base" : (call(() => wasm().encodingForModel(model)) as EncodingName));
    return { encoding: name, costModel, ...(model !== undefined && { model }) };
  }

  tokenLength(part: ChatCompletionContentPart): number {
    ensureEncoding(this.counting.encoding);
    if (part.type === ChatCompletionContentPartKind.Text) return countText(part.text, this.counting.encoding);
    return partTokens(part, this.counting);
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

/** What a part that is no text adds to a message. */
export function partTokens(part: ChatCompletionContentPart, counting: Record<string, unknown>): number {
  return messageTokens({ role: "user", parts: [neutral(part)] }, counting) - messageTokens({ role: "user", parts: [] }, counting);
}

/** A raw message as the engine reads it. */
export function neutralMessage(message: ChatMessage): Omit<NeutralMessage, "id"> {
  const content = message.content.map(neutral);
  const name = message.name ? { name: message.name } : {};
  switch (message.role) {
    case ChatRole.Tool:
      return { role: "tool", parts: [{ type: "toolResult", callId: message.toolCallId ?? "", content }] };
    case ChatRole.Assistant: {
      const calls = (message.toolCalls ?? []).map(({ id, function: called }): Part => ({ type: "toolCall", callId: id, name: called.name, arguments: called.arguments }));
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
      return { type: "document", mediaType: part.documentData.mediaType, dataLength: part.documentData.data.length };
    case ChatCompletionContentPartKind.CacheBreakpoint:
      return { type: "cacheMark" };
    default:
      return { type: "opaque", json: JSON.stringify(part.value) ?? "", ...(part.tokenUsage !== undefined && { tokens: part.tokenUsage }) };
  }
}
