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

/** What to do with one message. Items come in the order of the resulting conversation. */
export type PlanItem = {
  /** It becomes one message with the item before it, where the format knows how. */ joins?: boolean;
} /** The host's own object, untouched (`===`). */ & (
  | { type: "keep"; id: string }
  /** A copy of the host's object, with these parts changed; parts that are not named go, the others stay in order. */
  | { type: "edit"; id: string; parts: PartEdit[] }
  /** A message that the host did not have. */
  | { type: "insert"; message: NeutralMessage }
);

/**
 * The change of one part. `part` is the index in the `parts` of the neutral message. If a call or result gets a new id
 * and new content, one edit has both.
 */
export type PartEdit =
  | { type: "keep"; part: number }
  /** Replaces the text of a text or reasoning part, or the whole content of a tool result, by one text. */
  | { type: "text"; part: number; text: string; callId?: string }
  /** Replaces the JSON text of a call's arguments. */
  | { type: "arguments"; part: number; arguments: string; callId?: string }
  /** Replaces some of what a tool result holds: one item for each part of its content, in order. */
  | { type: "content"; part: number; items: ItemEdit[]; callId?: string }
  /** Puts a text in the place of a picture or document. */
  | { type: "note"; part: number; text: string }
  /** Gives a call or result another call id. */
  | { type: "callId"; part: number; callId: string }
  /**
   * The host's own part `part` of another message, which comes first here: the thought of a turn of which a summary
   * took the beginning.
   */
  | { type: "carried"; from: string; part: number };

/** The change of one part of a tool result's content. */
export type ItemEdit = { type: "keep" } | { type: "text"; text: string };

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
