/** Messages, parts, tools and plans in the neutral model. */

/** The author of a message. `system` and `developer` messages form the frame of a request, which is never edited. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One message as the core sees it. The host's own object stays in JavaScript, addressed by `id`. */
export interface NeutralMessage {
  /**
   * Unique in the conversation. Adapters use `m<index>`, and `system` for a system prompt that the format keeps apart.
   */
  id: string;
  role: Role;
  name?: string;
  parts: Part[];
}

export type TextPart = { type: "text"; text: string };

/** `arguments` is the JSON text as it is sent. */
export type ToolCallPart = { type: "toolCall"; callId: string; name: string; arguments: string };

/** `content` holds text, image, document and opaque parts. */
export type ToolResultPart = { type: "toolResult"; callId: string; name?: string; content: Part[]; isError?: boolean };

export type ReasoningPart = { type: "reasoning"; text: string };

/**
 * `data` is base64 without a `data:` prefix. Adapters pass at most the first 131,072 characters; the core reads only
 * the header.
 */
export type ImagePart = { type: "image"; mediaType?: string; data?: string; url?: string; detail?: string };

/** `dataLength` is the length of the base64 text in characters, 0 if the document is only referenced. */
export type DocumentPart = { type: "document"; mediaType?: string; dataLength: number; pages?: number };

/** A part that the core does not know: counted by its JSON text, or by the `tokens` that the host declares. */
export type OpaquePart = { type: "opaque"; json: string; tokens?: number };

/** A cache breakpoint. Costs no tokens. */
export type CacheMarkPart = { type: "cacheMark" };

export type Part =
  | TextPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | ImagePart
  | DocumentPart
  | OpaquePart
  | CacheMarkPart;

/** A tool definition as far as counting needs it. `schema` is the parameter schema as compact JSON text. */
export interface NeutralTool {
  name: string;
  description?: string;
  schema?: string;
}

/**
 * What to do with one message. Items come in the order of the resulting conversation. A message that no item names is
 * gone; one that several items name is taken apart.
 */
export type PlanItem = {
  /** It becomes one message with the item before it, if the format can join them. */ joins?: boolean;
} /** The host's own object, untouched (`===`). */ & (
  | { type: "keep"; id: string }
  /** A copy of the host's object with these parts, in this order. */
  | { type: "edit"; id: string; parts: PartEdit[] }
  /** A message that the host did not have. */
  | { type: "insert"; message: NeutralMessage }
);

/** What to do with one part: it is kept, except for what the other fields change. */
export interface PartEdit {
  /** Index in the neutral message's `parts`. */
  part: number;
  /**
   * Id of the message that has the part, if that is another one. The part comes first here: it is the thought of a turn
   * of which a summary took the beginning.
   */
  from?: string;
  to?: Becomes;
  /** Another id of a call or a result. */
  callId?: string;
  /** Another name of the tool, of a call or a result. */
  name?: string;
}

/** What the content of a part becomes. */
export type Becomes =
  /** Another text of a text or reasoning part, or one text as the content of a tool result. */
  | { type: "text"; text: string }
  /** Other arguments of a call, as JSON text. */
  | { type: "arguments"; arguments: string }
  /** For each item of a tool result's content: the text that replaces it, or `null` if it stays. */
  | { type: "content"; items: (string | null)[] }
  /** A text that replaces a picture or document. */
  | { type: "note"; text: string }
  /** Nothing. */
  | { type: "gone" };

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
