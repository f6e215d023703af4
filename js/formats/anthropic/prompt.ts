/** Raw messages as a request of Anthropic's Messages API. */

import type { Part } from "../../types/messages.ts";
import { append } from "../append.ts";
import { callPart, itemsOf } from "../raw/items.ts";
import { ChatCompletionContentPartKind, ChatRole } from "../raw/prompt.ts";
import type { ChatCompletionContentPart, ChatMessage } from "../raw/prompt.ts";
import { whole } from "../prompt.ts";
import type { PromptFormat } from "../prompt.ts";
import { joined } from "../turns.ts";
import type { Spoken } from "../turns.ts";
import { bad, looking } from "../values.ts";
import { MAX_MARKS } from "./checks.ts";
import { block, isResult } from "./write.ts";

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

/** The bit for Anthropic in the scope of an opaque part. */
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
  const spoken: Spoken<AnthropicMessage["role"], AnthropicBlock>[] = [];
  /** All blocks so far: a breakpoint marks the last of them that can be marked. */
  const all: AnthropicBlock[] = [];
  const marked = new Set<AnthropicBlock>();
  for (const message of messages) {
    const made: AnthropicBlock[] = [];
    const add = (block: AnthropicBlock) => {
      made.push(block);
      all.push(block);
    };
    if (message.role === ChatRole.Tool) {
      const result = resultBlock(message.toolCallId, message.content);
      add(result);
      if (message.content.some(isBreakpoint)) marked.add(result);
    } else {
      for (const part of message.content) {
        const last = isBreakpoint(part) && all.findLast(canBeMarked);
        if (last) marked.add(last);
        blocksOf(part).forEach(add);
      }
    }
    if (message.role === ChatRole.Assistant)
      for (const call of message.toolCalls ?? []) (block(callPart(call)) as AnthropicBlock[]).forEach(add);
    if (message.role === ChatRole.System) append(system, made);
    else spoken.push({ role: message.role === ChatRole.Assistant ? "assistant" : "user", items: made });
  }
  const joint = joined(spoken, isResult).map(({ role, items }): AnthropicMessage => ({ role, content: items }));
  // In the order of the request, which is not always that of the breakpoints.
  const order = [...system, ...joint.flatMap(({ content }) => content)].filter((one) => marked.has(one));
  for (const one of order.slice(-MAX_MARKS)) one.cache_control = { type: "ephemeral" };
  // A system prompt holds texts; what else an element puts there the provider refuses.
  return { ...(system.length > 0 && { system: system as AnthropicTextBlock[] }), messages: joint };
}

const isBreakpoint = ({ type }: ChatCompletionContentPart) => type === ChatCompletionContentPartKind.CacheBreakpoint;

/** Returns a result as one block. The provider takes marks on the result only, not on what is in it. */
function resultBlock(id: string, content: readonly ChatCompletionContentPart[]): AnthropicBlock {
  const blocks = content.flatMap(blocksOf) as AnthropicContentBlock[];
  return { type: "tool_result", tool_use_id: id, ...(blocks.length > 0 && { content: blocks }) };
}

/** Copies an element's own block, because a mark may be put on it. */
function blocksOf(part: ChatCompletionContentPart): AnthropicBlock[] {
  return itemsOf(part, SCOPE, block as (part: Part) => AnthropicBlock[]).map((one) => ({ ...one }));
}

/** Thoughts cannot carry a mark. */
function canBeMarked(block: AnthropicBlock): boolean {
  return !/thinking$/.test((block as { type?: string }).type ?? "");
}

/** Messages of a tree and of a history in one request. */
export const anthropicPrompt: PromptFormat<AnthropicRequest> = {
  mode: () => "anthropic",
  write: (messages) => ({ system: [], ...toAnthropic(messages) }),
  systemItem: (text) => ({ type: "text", text }),
  request(written) {
    const { system, messages } = whole(written);
    return { ...(system.length > 0 && { system }), messages };
  },
  mark(written, first) {
    const before = whole(written.slice(0, first));
    const last = before.messages.at(-1)?.content ?? before.system;
    const block: AnthropicBlock | undefined = Array.isArray(last) ? last.at(-1) : undefined;
    const { system, messages } = whole(written);
    const all = [...system, ...messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))];
    const count = all.filter((one: AnthropicBlock) => one.cache_control).length;
    if (block && !block.cache_control && count < MAX_MARKS) block.cache_control = { type: "ephemeral" };
  },
};
