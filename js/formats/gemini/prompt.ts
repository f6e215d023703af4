/**
 * Raw messages as contents of Google's Gemini API. Cache breakpoints have no place there: Gemini finds repeated
 * beginnings itself.
 */

import { objectArguments } from "../parts.ts";
import { bad, looking } from "../values.ts";
import { ChatCompletionContentPartKind, ChatCompletionContentPartOpaque, ChatRole } from "../raw/prompt.ts";
import { resultsFirst, sourceOf } from "../blocks.ts";
import { textOf } from "../../prompt/output/text.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../raw/prompt.ts";
import { append } from "../append.ts";

export type GeminiPart =
  | { text: string }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { fileUri: string; mimeType?: string } }
  | { functionCall: { id?: string; name: string; args: Record<string, unknown> } }
  | { functionResponse: { id?: string; name: string; response: Record<string, unknown> } };

export interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

export interface GeminiRequest {
  systemInstruction?: { parts: GeminiPart[] };
  contents: GeminiContent[];
}

/** The bit that stands for Gemini in the scope of an opaque part. */
const SCOPE = 16;

/**
 * The system instruction and the contents of a request. System messages are taken together, roles alternate, and
 * responses to function calls come before words; pictures in a tool's result stand beside its response.
 *
 * ```tsx
 * import { render, SystemMessage, toGemini, UserMessage } from "espalier/prompt";
 *
 * const prompt = <><SystemMessage>Be brief.</SystemMessage><UserMessage>Why does this fail?</UserMessage></>;
 * const { messages } = await render(prompt, { budget: 8_000, format: "raw" });
 * const { contents, systemInstruction } = toGemini(messages);
 * contents; // => [{ role: "user", parts: [{ text: "Why does this fail?" }] }]
 * systemInstruction; // => { parts: [{ text: "Be brief." }] }
 * ```
 */
export function toGemini(messages: readonly ChatMessage[]): GeminiRequest {
  if (!Array.isArray(messages)) throw bad("messages", "a list of messages", messages, "bad_input");
  return looking("messages", () => written(messages));
}

function written(messages: readonly ChatMessage[]): GeminiRequest {
  const system: GeminiPart[] = [];
  const contents: GeminiContent[] = [];
  // A response names its function; a raw result only knows its call.
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === ChatRole.System) {
      append(
        system,
        message.content.flatMap((part) => partOf(part) ?? []),
      );
      continue;
    }
    const role = message.role === ChatRole.Assistant ? "model" : "user";
    const parts: GeminiPart[] = [];
    if (message.role === ChatRole.Tool) {
      const id = message.toolCallId;
      parts.push({
        functionResponse: {
          ...(id && { id }),
          name: names.get(id) ?? "unknown",
          response: { output: textOf(message.content) },
        },
      });
      append(
        parts,
        message.content.flatMap((part) =>
          part.type === ChatCompletionContentPartKind.Text ? [] : (partOf(part) ?? []),
        ),
      );
    } else {
      append(
        parts,
        message.content.flatMap((part) => partOf(part) ?? []),
      );
    }
    for (const { id, function: called } of (message.role === ChatRole.Assistant && message.toolCalls) || []) {
      names.set(id, called.name);
      parts.push({ functionCall: { ...(id && { id }), name: called.name, args: objectArguments(called.arguments) } });
    }
    const last = contents.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else contents.push({ role, parts });
  }
  for (const content of contents) content.parts = resultsFirst(content.parts, (part) => "functionResponse" in part);
  return { ...(system.length > 0 && { systemInstruction: { parts: system } }), contents };
}

function partOf(part: ChatCompletionContentPart): GeminiPart | undefined {
  switch (part.type) {
    case ChatCompletionContentPartKind.Text:
      return part.text === "" ? undefined : { text: part.text };
    case ChatCompletionContentPartKind.Image: {
      const { url, mediaType } = part.imageUrl;
      const source = sourceOf(url, mediaType);
      return "url" in source
        ? { fileData: { fileUri: source.url, ...(mediaType && { mimeType: mediaType }) } }
        : { inlineData: { mimeType: source.mediaType, data: source.data } };
    }
    case ChatCompletionContentPartKind.Document:
      return { inlineData: { mimeType: part.documentData.mediaType, data: part.documentData.data } };
    case ChatCompletionContentPartKind.Opaque: {
      const { value } = part;
      return typeof value === "object" && value !== null && ChatCompletionContentPartOpaque.usableIn(part, SCOPE)
        ? (value as GeminiPart)
        : undefined;
    }
    default:
      return undefined;
  }
}
