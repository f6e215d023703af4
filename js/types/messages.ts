/** Messages, parts, tools and plans in the neutral model. */

export type * from "./generated/messages.ts";

/** A tool definition as far as counting needs it. `schema` is the parameter schema as compact JSON text. */
export interface NeutralTool {
  name: string;
  description?: string;
  schema?: string;
}

export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "vscode"
  | "ai-sdk"
  | "raw"
  | "espalier";

/** Tool definitions in the form of any provider: a list, or an object by name as in the AI SDK. */
export type ToolList = readonly unknown[] | Readonly<Record<string, unknown>>;
