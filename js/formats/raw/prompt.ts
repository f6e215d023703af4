/** Messages as the renderer makes them, before any provider's form: nothing is lost but what providers never see. */

import { enumeration } from "../../prompt/enumeration.ts";
import type { OutputMode } from "../../prompt/output/output-mode.ts";

/** Who speaks. */
export const ChatRole = Object.assign(enumeration({ System: 0, User: 1, Assistant: 2, Tool: 3 }), {
  /** The role as a word. */
  display(role: ChatRole): string {
    const word = ["system", "user", "assistant", "tool"][role];
    if (word === undefined) throw new Error(`unknown chat role ${role}`);
    return word;
  },
});
export type ChatRole = ChatRole.System | ChatRole.User | ChatRole.Assistant | ChatRole.Tool;
export declare namespace ChatRole {
  type System = 0;
  type User = 1;
  type Assistant = 2;
  type Tool = 3;
}

/** What a part of a message's content is. */
export const ChatCompletionContentPartKind = enumeration({
  Image: 0,
  Text: 1,
  Opaque: 2,
  CacheBreakpoint: 3,
  Document: 4,
});
export type ChatCompletionContentPartKind =
  | ChatCompletionContentPartKind.Image
  | ChatCompletionContentPartKind.Text
  | ChatCompletionContentPartKind.Opaque
  | ChatCompletionContentPartKind.CacheBreakpoint
  | ChatCompletionContentPartKind.Document;
export declare namespace ChatCompletionContentPartKind {
  type Image = 0;
  type Text = 1;
  type Opaque = 2;
  type CacheBreakpoint = 3;
  type Document = 4;
}

export interface ChatCompletionContentPartText {
  type: ChatCompletionContentPartKind.Text;
  text: string;
}

export interface ImageURLReference {
  /** An address, or the picture itself as a data URL. */
  url: string;
  mediaType?: string;
  /** How closely the model looks. */
  detail?: "low" | "high" | "auto";
}

export interface ChatCompletionContentPartImage {
  type: ChatCompletionContentPartKind.Image;
  imageUrl: ImageURLReference;
}

export interface DocumentDataReference {
  /** The document as base64. */
  data: string;
  /** Such as `application/pdf`. */
  mediaType: string;
}

export interface ChatCompletionContentPartDocument {
  type: ChatCompletionContentPartKind.Document;
  documentData: DocumentDataReference;
}

/** Ends what the provider may keep in its cache. */
export interface ChatCompletionContentPartCacheBreakpoint {
  type: ChatCompletionContentPartKind.CacheBreakpoint;
  cacheType?: string;
}

/** Any value, handed on as it is. */
export interface ChatCompletionContentPartOpaque {
  type: ChatCompletionContentPartKind.Opaque;
  /** Must have a JSON form. */
  value: unknown;
  /** What it costs; nothing, if not said. */
  tokenUsage?: number;
  /** The output modes it is meant for, as bits; all of them, if not said. */
  scope?: number;
}
export const ChatCompletionContentPartOpaque = {
  /** Whether the part is meant for this output mode. */
  usableIn(part: ChatCompletionContentPartOpaque, mode: OutputMode | number): boolean {
    return !part.scope || (part.scope & mode) !== 0;
  },
};

export type ChatCompletionContentPart =
  | ChatCompletionContentPartImage
  | ChatCompletionContentPartText
  | ChatCompletionContentPartOpaque
  | ChatCompletionContentPartCacheBreakpoint
  | ChatCompletionContentPartDocument;

export interface BaseChatMessage {
  role: ChatRole;
  content: ChatCompletionContentPart[];
  /** Tells participants of one role apart. */
  name?: string;
}

export interface SystemChatMessage extends BaseChatMessage {
  role: ChatRole.System;
}

export interface UserChatMessage extends BaseChatMessage {
  role: ChatRole.User;
}

export interface ChatMessageFunction {
  /** JSON, as the model wrote it. */
  arguments: string;
  name: string;
}

export interface ChatMessageToolCall {
  id: string;
  function: ChatMessageFunction;
  type: "function";
}

export interface AssistantChatMessage extends BaseChatMessage {
  role: ChatRole.Assistant;
  toolCalls?: ChatMessageToolCall[];
}

export interface ToolChatMessage extends BaseChatMessage {
  role: ChatRole.Tool;
  /** The call that this answers. */
  toolCallId: string;
}

/**
 * A message. More kinds of messages and parts may come, so code that branches on them needs a default.
 *
 * ```ts
 * import { Raw } from "espalier/prompt";
 *
 * const { Text } = Raw.ChatCompletionContentPartKind;
 * const message: Raw.ChatMessage = { role: Raw.ChatRole.User, content: [{ type: Text, text: "Hello" }] };
 * message.content.flatMap((part) => (part.type === Text ? [part.text] : [])).join(""); // => "Hello"
 * ```
 */
export type ChatMessage = AssistantChatMessage | SystemChatMessage | UserChatMessage | ToolChatMessage;
