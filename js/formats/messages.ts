/**
 * The messages of each format, as a conversation's types know them: messages of a provider's SDK can be appended, and
 * the SDK accepts the returned ones. Contents are `any`, so that no version of an SDK is excluded.
 */

import type { Raw } from "../prompt/output/mode.ts";
import type { Format, NeutralMessage } from "../types/messages.ts";

/** A message of OpenAI's chat completions: `ChatCompletionMessageParam`. */
export type OpenAIChatMessage =
  | { role: "system" | "developer" | "user"; content: string | any[]; name?: string }
  | {
      role: "assistant";
      content?: string | any[] | null;
      name?: string;
      tool_calls?: any[];
      refusal?: string | null;
      audio?: any;
    }
  | { role: "tool"; content: string | any[]; tool_call_id: string }
  | { role: "function"; content: string | null; name: string };

/** A message of Anthropic's Messages API: `MessageParam`. Only newer models accept `system`. */
export interface AnthropicChatMessage {
  role: "user" | "assistant" | "system";
  content: string | any[];
}

/** A turn of Google's Gemini API: `Content`. */
export interface GeminiTurn {
  role?: string;
  parts?: any[];
}

/** By format; `any` if the items of a format have too many forms for one type. */
export interface FormatMessages {
  "openai-chat": OpenAIChatMessage;
  "openai-responses": any;
  anthropic: AnthropicChatMessage;
  gemini: GeminiTurn;
  vscode: any;
  "ai-sdk": any;
  langchain: any;
  "openai-agents": any;
  raw: Raw.ChatMessage;
  espalier: NeutralMessage;
}

/** The messages of a format. */
export type MessageOf<F extends Format> = FormatMessages[F];
