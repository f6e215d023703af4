/** Raw messages in the forms that a renderer's tokenizer may ask for. */

import { openAIMessage } from "../../formats/openai/prompt.ts";
import { OutputMode } from "./output-mode.ts";
import { vscodeMessage } from "../../formats/vscode/prompt.ts";
import type { LanguageModelChatMessage } from "../host-types.ts";
import type { ChatMessage as OpenAIChatMessage } from "../../formats/openai/prompt-types.ts";
import type { ChatMessage as RawChatMessage } from "../../formats/raw/prompt.ts";

export * as OpenAI from "../../formats/openai/prompt-types.ts";
export * as Raw from "../../formats/raw/prompt.ts";
export { OutputMode };

/** The messages of each mode. */
export interface ModeToChatMessageType {
  [OutputMode.Raw]: RawChatMessage;
  [OutputMode.VSCode]: LanguageModelChatMessage;
  [OutputMode.OpenAI]: OpenAIChatMessage;
}

/**
 * Converts raw messages, or one of them, to the form of a mode. Whatever the form cannot express is left out.
 *
 * ```tsx
 * import { OutputMode, render, toMode, UserMessage } from "espalier/prompt";
 *
 * const { messages } = await render(<UserMessage>Why does this fail?</UserMessage>, { budget: 8_000, format: "raw" });
 * toMode(OutputMode.OpenAI, messages)[0]?.content; // => "Why does this fail?"
 * ```
 */
export function toMode<Mode extends keyof ModeToChatMessageType>(
  mode: Mode,
  messages: RawChatMessage,
): ModeToChatMessageType[Mode];
export function toMode<Mode extends keyof ModeToChatMessageType>(
  mode: Mode,
  messages: readonly RawChatMessage[],
): ModeToChatMessageType[Mode][];
export function toMode(mode: OutputMode, messages: RawChatMessage | readonly RawChatMessage[]): unknown {
  switch (mode) {
    case OutputMode.Raw:
      return messages;
    case OutputMode.OpenAI:
      return each(messages, openAIMessage);
    case OutputMode.VSCode:
      return each(messages, vscodeMessage);
    default:
      throw new Error(`Unknown output mode: ${String(mode)}`);
  }
}

function each(
  messages: RawChatMessage | readonly RawChatMessage[],
  convert: (message: RawChatMessage, index?: number) => unknown,
): unknown {
  if (!Array.isArray(messages)) return convert(messages as RawChatMessage);
  return messages.map(convert).filter((message) => message !== undefined);
}

/** Converts messages for VS Code's language model API. */
export function toVSCode(messages: RawChatMessage): LanguageModelChatMessage;
export function toVSCode(messages: readonly RawChatMessage[]): LanguageModelChatMessage[];
export function toVSCode(messages: RawChatMessage | readonly RawChatMessage[]): unknown {
  return toMode(OutputMode.VSCode, messages as RawChatMessage);
}

/** Converts messages for OpenAI's chat completions. */
export function toOpenAI(messages: RawChatMessage): OpenAIChatMessage;
export function toOpenAI(messages: readonly RawChatMessage[]): OpenAIChatMessage[];
export function toOpenAI(messages: RawChatMessage | readonly RawChatMessage[]): unknown {
  return toMode(OutputMode.OpenAI, messages as RawChatMessage);
}
