/** Raw messages as a request of Anthropic's Messages API. */

import { objectArguments } from "../parts.ts";
import { bad, looking } from "../values.ts";
import { ChatCompletionContentPartKind, ChatCompletionContentPartOpaque, ChatRole } from "../raw/prompt.ts";
import { resultsFirst, sourceOf, textDocument } from "../blocks.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../raw/prompt.ts";

type PictureType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** Where a picture is. The provider takes no other types of data. */
export type AnthropicImageSource =
  | { type: "base64"; media_type: PictureType; data: string }
  | { type: "url"; url: string };

/** Where a document is. */
export type AnthropicDocumentSource =
  | { type: "base64"; media_type: "application/pdf"; data: string }
  | { type: "text"; media_type: "text/plain"; data: string };

type Marked = { cache_control?: { type: "ephemeral" } };

/** What a system prompt holds. */
export type AnthropicTextBlock = { type: "text"; text: string } & Marked;

/** What a tool's result may hold. */
export type AnthropicContentBlock =
  | AnthropicTextBlock
  | ({ type: "image"; source: AnthropicImageSource } & Marked)
  | ({ type: "document"; source: AnthropicDocumentSource } & Marked);

export type AnthropicBlock =
  | AnthropicContentBlock
  | ({ type: "tool_use"; id: string; name: string; input: Record<string, unknown> } & Marked)
  | ({ type: "tool_result"; tool_use_id: string; content?: AnthropicContentBlock[] } & Marked);

export interface AnthropicMessage {
  role: "user" | "assistant";
  content: AnthropicBlock[];
}

export interface AnthropicRequest {
  system?: AnthropicTextBlock[];
  messages: AnthropicMessage[];
}

/** What the provider takes. */
const MOST_BREAKPOINTS = 4;

/** The bit that stands for Anthropic in the scope of an opaque part. */
const SCOPE = 8;

/**
 * The system prompt and the messages of a request. System messages are taken together, neighbours of one role are
 * merged, and results come before words, as the provider demands. A cache breakpoint marks the block before it; of more
 * than four the last four are kept.
 *
 * ```tsx
 * import Anthropic from "@anthropic-ai/sdk";
 * import { render, SystemMessage, toAnthropic, UserMessage } from "espalier/prompt";
 *
 * const prompt = <><SystemMessage>Be brief.</SystemMessage><UserMessage>Why does this fail?</UserMessage></>;
 * const { messages } = await render(prompt, { budget: 8_000, format: "raw" });
 * const request = toAnthropic(messages);
 * request.messages; // => [{ role: "user", content: [{ type: "text", text: "Why does this fail?" }] }]
 * const reply = await new Anthropic().messages.create({ model: "claude-opus-4-8", max_tokens: 4_096, ...request });
 * reply.stop_reason; // => "end_turn"
 * ```
 */
export function toAnthropic(messages: readonly ChatMessage[]): AnthropicRequest {
  if (!Array.isArray(messages)) throw bad("messages", "a list of messages", messages, "bad_input");
  return looking("messages", () => written(messages));
}

function written(messages: readonly ChatMessage[]): AnthropicRequest {
  const system: AnthropicBlock[] = [];
  const out: AnthropicMessage[] = [];
  const marked = new Set<AnthropicBlock>();
  for (const message of messages) {
    if (message.role === ChatRole.System) {
      write(message.content, system, marked, []);
      continue;
    }
    const role = message.role === ChatRole.Assistant ? "assistant" : "user";
    const content: AnthropicBlock[] = [];
    const last = out.at(-1);
    if (message.role === ChatRole.Tool) content.push(result(message.toolCallId, message.content, marked));
    else write(message.content, content, marked, last?.content ?? system);
    for (const call of (message.role === ChatRole.Assistant && message.toolCalls) || []) {
      content.push({
        type: "tool_use",
        id: call.id,
        name: call.function.name,
        input: objectArguments(call.function.arguments),
      });
    }
    if (content.length === 0) continue;
    if (last?.role === role) for (const block of content) last.content.push(block);
    else out.push({ role, content });
  }
  for (const message of out) message.content = resultsFirst(message.content, (block) => block.type === "tool_result");
  // In the order of the request, which is not always that of the breakpoints.
  const order = [...system, ...out.flatMap(({ content }) => content)].filter((block) => marked.has(block));
  for (const block of order.slice(-MOST_BREAKPOINTS)) block.cache_control = { type: "ephemeral" };
  // A system prompt holds texts; what else an element puts there the provider refuses.
  return { ...(system.length > 0 && { system: system as AnthropicTextBlock[] }), messages: out };
}

/** Writes the blocks of a content. A breakpoint before the first of them marks the last of those before. */
function write(
  content: readonly ChatCompletionContentPart[],
  into: AnthropicBlock[],
  marked: Set<AnthropicBlock>,
  before: readonly AnthropicBlock[],
): void {
  for (const part of content) {
    if (part.type === ChatCompletionContentPartKind.CacheBreakpoint) {
      const block = into.findLast(canBeMarked) ?? before.findLast(canBeMarked);
      if (block) marked.add(block);
      continue;
    }
    const block = blockOf(part);
    if (block) into.push(block);
  }
}

/** A result as one block. The provider takes marks on the result only, not on what is in it. */
function result(
  id: string,
  content: readonly ChatCompletionContentPart[],
  marked: Set<AnthropicBlock>,
): AnthropicBlock {
  const blocks = content.flatMap((part) => (blockOf(part) as AnthropicContentBlock | undefined) ?? []);
  const block: AnthropicBlock = { type: "tool_result", tool_use_id: id, ...(blocks.length > 0 && { content: blocks }) };
  if (content.some(({ type }) => type === ChatCompletionContentPartKind.CacheBreakpoint)) marked.add(block);
  return block;
}

function blockOf(part: ChatCompletionContentPart): AnthropicBlock | undefined {
  switch (part.type) {
    case ChatCompletionContentPartKind.Text:
      // Blank texts are refused.
      return part.text.trim() === "" ? undefined : { type: "text", text: part.text };
    case ChatCompletionContentPartKind.Image: {
      const source = sourceOf(part.imageUrl.url, part.imageUrl.mediaType);
      return {
        type: "image",
        source:
          "url" in source
            ? { type: "url", url: source.url }
            : { type: "base64", media_type: source.mediaType as PictureType, data: source.data },
      };
    }
    case ChatCompletionContentPartKind.Document: {
      const { data, mediaType } = part.documentData;
      const words = textDocument(data, mediaType);
      return {
        type: "document",
        source:
          words === undefined
            ? { type: "base64", media_type: mediaType as "application/pdf", data }
            : { type: "text", media_type: "text/plain", data: words },
      };
    }
    case ChatCompletionContentPartKind.Opaque: {
      const { value } = part;
      // A copy, because a mark may be put on it.
      return typeof value === "object" && value !== null && ChatCompletionContentPartOpaque.usableIn(part, SCOPE)
        ? { ...(value as AnthropicBlock) }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** Thoughts cannot carry a mark. */
function canBeMarked(block: AnthropicBlock): boolean {
  return !/thinking$/.test((block as { type?: string }).type ?? "");
}
