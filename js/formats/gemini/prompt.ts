/**
 * Raw messages as contents of Google's Gemini API. Cache breakpoints have no place there: Gemini finds repeated
 * beginnings itself.
 */

import { textOf, whole } from "../prompt.ts";
import type { PromptFormat } from "../prompt.ts";
import type { Part } from "../../types/messages.ts";
import { append } from "../append.ts";
import { callPart, itemsOf } from "../raw/items.ts";
import { ChatCompletionContentPartKind, ChatRole } from "../raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage, ToolChatMessage } from "../raw/prompt.ts";
import { joined, resultsFirst } from "../turns.ts";
import type { Spoken } from "../turns.ts";
import { bad, looking } from "../values.ts";
import { isResponse, part, response } from "./write.ts";

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

/** The bit for Gemini in the scope of an opaque part. */
const SCOPE = 16;

/**
 * The system instruction and the contents of a request. System messages are taken together, roles alternate, and
 * responses to function calls come before words; pictures in a tool's result are beside its response.
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
  const spoken: Spoken<GeminiContent["role"], GeminiPart>[] = [];
  // A response names its function; a raw result only knows its call.
  const names = new Map<string, string>();
  for (const message of messages) {
    const parts = message.role === ChatRole.Tool ? result(message, names) : message.content.flatMap(partsOf);
    if (message.role === ChatRole.Assistant) {
      for (const call of message.toolCalls ?? []) {
        names.set(call.id, call.function.name);
        append(parts, part(callPart(call)) as GeminiPart[]);
      }
    }
    if (message.role === ChatRole.System) append(system, parts);
    else spoken.push({ role: message.role === ChatRole.Assistant ? "model" : "user", items: parts });
  }
  const contents = joined(spoken, isResponse).map(({ role, items }): GeminiContent => ({ role, parts: items }));
  return { ...(system.length > 0 && { systemInstruction: { parts: system } }), contents };
}

/** Returns a response with the text of a result, and what else it holds behind it. */
function result({ toolCallId, content }: ToolChatMessage, names: ReadonlyMap<string, string>): GeminiPart[] {
  const name = names.get(toolCallId);
  const said: Part = { type: "text", text: textOf(content) };
  const made = response({
    type: "toolResult",
    callId: toolCallId,
    ...(name !== undefined && { name }),
    content: [said],
  });
  const others = content.filter(({ type }) => type !== ChatCompletionContentPartKind.Text);
  return [...(made as GeminiPart[]), ...others.flatMap(partsOf)];
}

function partsOf(item: ChatCompletionContentPart): readonly GeminiPart[] {
  return itemsOf(item, SCOPE, part as (item: Part) => GeminiPart[]);
}

/** Messages of a tree and of a history in one request, whose roles have to alternate. */
export const geminiPrompt: PromptFormat<GeminiRequest> = {
  mode: () => "gemini",
  write(messages) {
    const { systemInstruction, contents } = toGemini(messages);
    return { system: systemInstruction?.parts ?? [], messages: contents };
  },
  systemItem: (text) => ({ text }),
  request(written) {
    const { system, messages } = whole(written);
    return {
      ...(system.length > 0 && { systemInstruction: { parts: system } }),
      contents: written.length > 1 ? alternating(messages) : messages,
    };
  },
};

/** Returns contents of the host unchanged unless they are neighbours of one role. */
function alternating(contents: readonly GeminiContent[]): GeminiContent[] {
  const out: GeminiContent[] = [];
  for (const content of contents) {
    const last = out.at(-1);
    if (last?.role === content.role)
      out[out.length - 1] = { ...last, parts: resultsFirst([...last.parts, ...content.parts], isResponse) };
    else out.push(content);
  }
  return out;
}
