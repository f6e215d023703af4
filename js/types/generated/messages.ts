/** Messages, parts and plans in the neutral model. Written by `npm run types`: do not edit. */

/** The author of a message. `system` and `developer` messages form the frame of a request, which is never edited. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One message as the core sees it. The host's own object stays in JavaScript, addressed by `id`. */
export interface NeutralMessage {
  /**
   * Unique in the conversation. Adapters use `m<index>`, and `system` for a system prompt that the format keeps apart.
   */
  id: string;
  role: Role;
  /** The speaker's name, if the format has one. */
  name?: string;
  parts: Part[];
}

/** One piece of a message, in the order in which it is sent. */
export type Part =
  | { type: "text"; text: string }
  /** A call of a tool by the assistant. `arguments` is the JSON text as it is sent. */
  | { type: "toolCall"; callId: string; name: string; arguments: string }
  /** The answer to a call. `content` holds text, images, documents and opaque parts only. */
  | { type: "toolResult"; callId: string; name?: string; content: Part[]; isError?: boolean }
  /** Thinking of the model, if it is sent back. */
  | {
      type: "reasoning";
      text: string;
      /**
       * Estimated tokens of thoughts that only the provider can read. They count if they are more than those of `text`,
       * which is then a summary.
       */
      sealed?: number;
    }
  | {
      type: "image";
      mediaType?: string;
      /**
       * Base64 without a `data:` prefix. Adapters pass at most the first 131,072 characters; the core reads only the
       * header.
       */
      data?: string;
      url?: string;
      /** `low`, `high` or `auto`. */
      detail?: string;
    }
  | {
      type: "document";
      mediaType?: string;
      /** Length of the base64 text, in characters; 0 if the document is only referenced. */
      dataLength: number;
      pages?: number;
    }
  /**
   * Content that the core does not know: counted by its JSON text, in which pictures and other data in base64 cost what
   * they are, or by the `tokens` that the host declares.
   */
  | {
      type: "opaque";
      json: string;
      tokens?: number;
      /** Estimated tokens of an item that only the provider can read; they count in place of `json`. */
      sealed?: number;
      /**
       * Id that a call of a tool that the provider runs has in common with its result. The result may come in a later
       * message of the turn; both stay and go with what is between them.
       */
      callId?: string;
    }
  /** A cache breakpoint. Costs no tokens. */
  | { type: "cacheMark" }
  /**
   * The parts behind it are sent as another message: UI messages of the AI SDK hold the steps of an agent, and each
   * step is a message of the assistant and one with its results.
   */
  | { type: "boundary" };

/**
 * What to do with one message. Items come in the order of the resulting conversation. A message of the input that no
 * item names is gone; one that several items name is taken apart.
 */
export type PlanItem =
  /** The host's own object, untouched (`===`). */
  | {
      type: "keep";
      id: string;
      /** It becomes one message with the item before it, if the format can join them. */
      joins?: boolean;
    }
  /** A copy of the host's object with these parts, in this order. */
  | { type: "edit"; id: string; parts: PartEdit[]; joins?: boolean }
  /** A message that the host did not have. */
  | { type: "insert"; message: NeutralMessage; joins?: boolean };

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
