/** How a format writes rendered prompts: one object for each format, in its folder's `prompt.ts`. */

import { ChatCompletionContentPartKind } from "./raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage } from "./raw/prompt.ts";

/** A stretch of a prompt in a format: items of the system prompt, where the format holds it apart, and messages. */
export interface Written {
  system: any[];
  messages: any[];
}

/** The parts that messages of a format can carry, as the core names them. */
export type PromptMode = "openai" | "anthropic" | "gemini" | "aiSdk" | "vscode" | "vscodeData" | "raw";

export interface PromptFormat<Request> {
  mode(): PromptMode;
  /** Writes what elements of a prompt wrote. */
  write(messages: readonly ChatMessage[]): Written;
  /** Returns a text as an item of the system prompt; absent if the format does not hold that apart. */
  systemItem?(text: string): unknown;
  /** Puts stretches together to a request. */
  request(written: readonly Written[]): Request;
  /** Marks the end of what comes before stretch number `first` for the provider's cache, if it takes one more mark. */
  mark?(written: readonly Written[], first: number): void;
}

/** Returns all items of the system prompt and all messages. */
export function whole(written: readonly Written[]): Written {
  return {
    system: written.flatMap(({ system }) => system),
    messages: written.flatMap(({ messages }) => messages),
  };
}

/** Returns the request of a format that has messages alone. */
export function messagesAlone<Message>(written: readonly Written[]): { messages: Message[] } {
  return { messages: whole(written).messages };
}

/** Returns the text of a message, for places where a provider accepts nothing else. */
export function textOf(content: readonly ChatCompletionContentPart[]): string {
  return content.map((part) => (part.type === ChatCompletionContentPartKind.Text ? part.text : "")).join("");
}
