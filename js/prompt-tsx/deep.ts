/**
 * Names that clients of `@vscode/prompt-tsx` import from its folder `dist/base`, because its index does not export
 * them.
 */

import { EspalierError } from "../errors/errors.ts";
import type { Raw as RawTypes } from "../prompt/index.ts";
import type { OpenAI } from "../prompt/index.ts";
import { JSONTree, OutputMode, toMode } from "../prompt/index.ts";
import type { LanguageModelChatMessage } from "../prompt/host-types.ts";
import type { MaterializedView } from "../prompt/tracer.ts";

export const { forEachNode, jsonRetainedProps } = JSONTree;
export type {
  BasePieceJSON,
  DocumentChatMessagePieceJSON,
  ImageChatMessagePieceJSON,
  OpaqueJSON,
  PieceCtorKind,
  PieceJSON,
  PromptElementJSON,
  PromptNodeJSON,
  PromptNodeType,
  PromptReferenceJSON,
  TextJSON,
  UriOrLocationJSON,
} from "../prompt/json-tree.ts";

/** Converts one message for OpenAI; undefined for a role that does not exist. */
export function toOpenAiChatMessage(message: RawTypes.ChatMessage): OpenAI.ChatMessage | undefined {
  return toMode(OutputMode.OpenAI, message);
}

/** Converts messages for OpenAI. */
export function toOpenAIChatMessages(messages: readonly RawTypes.ChatMessage[]): OpenAI.ChatMessage[] {
  return toMode(OutputMode.OpenAI, messages);
}

/** Converts one message for VS Code; undefined for a role that does not exist. */
export function toVsCodeChatMessage(message: RawTypes.ChatMessage): LanguageModelChatMessage | undefined {
  return toVsCodeChatMessages([message])[0];
}

/**
 * Converts messages for VS Code. In 0.3 a function of this name took messages with roles in words, all of which would
 * vanish without a notice.
 *
 * @throws EspalierError `bad_input` for such a message
 */
export function toVsCodeChatMessages(messages: readonly RawTypes.ChatMessage[]): LanguageModelChatMessage[] {
  for (const [index, { role }] of messages.entries())
    if (typeof role === "string")
      throw new EspalierError({
        code: "bad_input",
        message: `messages[${index}].role is "${String(role)}", and must be a Raw.ChatRole: these are no Raw messages.`,
        path: `messages[${index}].role`,
      });
  return toMode(OutputMode.VSCode, messages);
}

/** A node of the tree that tracers see. */
export type MaterializedNode = MaterializedView;

/** Returns a class for `instanceof` only: the renderer makes nodes, and they are plain objects. */
function recognises(name: string, ...types: MaterializedView["type"][]): MaterializedCtor {
  const made = class {
    constructor() {
      throw new Error(`${name} is made by the renderer; use it with instanceof.`);
    }

    static [Symbol.hasInstance](value: unknown): boolean {
      const { type, priority, tokens } = (value ?? {}) as Partial<MaterializedView>;
      return types.includes(type as never) && typeof priority === "number" && typeof tokens === "number";
    }
  };
  Object.defineProperty(made, "name", { value: name });
  return made as unknown as MaterializedCtor;
}

/** Distinguishes nodes of the tracer's tree: `node instanceof MaterializedChatMessage`. */
export interface MaterializedCtor {
  new (): MaterializedView;
  readonly prototype: MaterializedView;
}

export const GenericMaterializedContainer = recognises("GenericMaterializedContainer", "container");
export const MaterializedChatMessage = recognises("MaterializedChatMessage", "message");
export const MaterializedChatMessageTextChunk = recognises("MaterializedChatMessageTextChunk", "text");
export const MaterializedChatMessageImage = recognises("MaterializedChatMessageImage", "image");
export const MaterializedChatMessageDocument = recognises("MaterializedChatMessageDocument", "document");
export const MaterializedChatMessageOpaque = recognises("MaterializedChatMessageOpaque", "opaque");
export const MaterializedChatMessageBreakpoint = recognises("MaterializedChatMessageBreakpoint", "breakpoint");
