/** Messages, parts, tools and plans in the neutral model. */

import type { Part } from "./generated/messages.ts";

export type * from "./generated/messages.ts";

export type TextPart = Extract<Part, { type: "text" }>;
export type ToolCallPart = Extract<Part, { type: "toolCall" }>;
export type ToolResultPart = Extract<Part, { type: "toolResult" }>;
export type ReasoningPart = Extract<Part, { type: "reasoning" }>;
export type ImagePart = Extract<Part, { type: "image" }>;
export type DocumentPart = Extract<Part, { type: "document" }>;
export type OpaquePart = Extract<Part, { type: "opaque" }>;
export type CacheMarkPart = Extract<Part, { type: "cacheMark" }>;

/** A tool definition as far as counting needs it. `schema` is the parameter schema as compact JSON text. */
export interface NeutralTool {
  name: string;
  description?: string;
  schema?: string;
}

/**
 * Refuses a text alone where messages are wanted. Accepts a union with a text, such as the `input` of Responses, and
 * type parameters that extend an object.
 */
export type NotText<T> = [T] extends [string] ? object : unknown;

export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "vscode"
  | "ai-sdk"
  | "langchain"
  | "openai-agents"
  | "raw"
  | "espalier";

/** Tool definitions in the form of any provider: a list, or an object by name as in the AI SDK. */
export type ToolList = readonly unknown[] | Readonly<Record<string, unknown>>;
