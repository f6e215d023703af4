/** Messages of OpenAI's chat completions, and what they cost beside their words. */

import type { ChatMessageToolCall } from "../raw/prompt.ts";

export type { ChatMessageFunction, ChatMessageToolCall } from "../raw/prompt.ts";

/** Who speaks. */
export const ChatRole = {
  System: "system",
  User: "user",
  Assistant: "assistant",
  Function: "function",
  Tool: "tool",
} as const;
export type ChatRole = (typeof ChatRole)[keyof typeof ChatRole];
export declare namespace ChatRole {
  type System = "system";
  type User = "user";
  type Assistant = "assistant";
  type Function = "function";
  type Tool = "tool";
}

/** Tokens that begin the reply. */
export const BaseTokensPerCompletion = 3;

/** Tokens around every message. */
export const BaseTokensPerMessage = 3;

/** Tokens of having a name, beside those of the name itself. */
export const BaseTokensPerName = 1;

export interface ChatCompletionContentPartText {
  type: "text";
  text: string;
}

export interface ChatCompletionContentPartImage {
  type: "image_url";
  image_url: ChatCompletionContentPartImage.ImageURL;
}
export declare namespace ChatCompletionContentPartImage {
  interface ImageURL {
    /** An address, or the picture itself as a data URL. */
    url: string;
    detail?: "low" | "high" | "auto";
  }
}

export type ChatCompletionContentPart = ChatCompletionContentPartImage | ChatCompletionContentPartText;

export interface SystemChatMessage {
  role: ChatRole.System;
  content: string;
  name?: string;
}

export interface UserChatMessage {
  role: ChatRole.User;
  content: string | Array<ChatCompletionContentPart>;
  name?: string;
}

export interface AssistantChatMessage {
  role: ChatRole.Assistant;
  content: string;
  name?: string;
  tool_calls?: Array<ChatMessageToolCall>;
}

export interface ToolChatMessage {
  role: ChatRole.Tool;
  tool_call_id?: string;
  content: string | Array<ChatCompletionContentPart>;
}

/** @deprecated The form before tools had ids. */
export interface FunctionChatMessage {
  role: ChatRole.Function;
  content: string;
  name: string;
}

export type ChatMessage =
  | AssistantChatMessage
  | SystemChatMessage
  | UserChatMessage
  | ToolChatMessage
  | FunctionChatMessage;
