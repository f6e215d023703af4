/**
 * Builds the request of a format from a rendered prompt. Messages of elements come in as raw messages. A message of a
 * history comes in as its entry, and goes out as its host's own object if the format is the same.
 */

import { convert } from "../../formats/convert.ts";
import { append } from "../../formats/append.ts";
import type { NeutralMessage } from "../../types/messages.ts";
import { PROVIDERS } from "../../validity/providers.ts";
import { repair } from "../../validity/validity.ts";
import type { Entry } from "../request/entries.ts";
import { entriesOf } from "../request/item.ts";
import { toAiSdk } from "../../formats/ai-sdk/prompt.ts";
import { toAnthropic } from "../../formats/anthropic/prompt.ts";
import type { AnthropicBlock, AnthropicRequest, AnthropicTextBlock } from "../../formats/anthropic/prompt.ts";
import { resultsFirst } from "../../formats/blocks.ts";
import { toGemini } from "../../formats/gemini/prompt.ts";
import type { GeminiContent, GeminiRequest } from "../../formats/gemini/prompt.ts";
import { OutputMode, toMode } from "./mode.ts";
import type { OpenAI, Raw } from "./mode.ts";
import { ChatCompletionContentPartKind } from "../../formats/raw/prompt.ts";

/**
 * A message of a rendered prompt as OpenAI's SDK accepts it. A tool result may contain pictures: its types do not know
 * them, but servers with the same interface accept them.
 */
export type OpenAIPromptMessage =
  | OpenAI.SystemChatMessage
  | OpenAI.UserChatMessage
  | OpenAI.AssistantChatMessage
  | { role: OpenAI.ChatRole.Tool; tool_call_id: string; content: string | any[] };

/** The fields of a request, by format: spread them into the request. */
export interface Requests {
  "openai-chat": { messages: OpenAIPromptMessage[] };
  anthropic: AnthropicRequest;
  gemini: GeminiRequest;
  vscode: { messages: any[] };
  /** Messages of the AI SDK (`ModelMessage`), for `generateText` and `streamText`. */
  "ai-sdk": { messages: any[] };
  raw: { messages: Raw.ChatMessage[] };
}
export type RenderFormat = keyof Requests;

/** Max cache marks in one request of Anthropic. */
const MOST_MARKS = 4;

/** A run of messages, either of elements or of a history. */
type Run = { raw: Raw.ChatMessage[]; entries?: undefined } | { entries: Entry[] };

interface Written {
  system: any[];
  messages: any[];
}

/** `marks`: marks the last block before the history for the provider's cache. */
export function requestOf<F extends RenderFormat>(format: F, raw: Raw.ChatMessage[], marks: boolean): Requests[F] {
  const runs = runsOf(raw);
  const first = runs.findIndex(({ entries }) => entries);
  if (first < 0) return join(format, [fromTree(format, raw)]);
  const written = runs.map((run) => (run.entries ? fromHistory(format, run.entries) : fromTree(format, run.raw)));
  if (marks) mark(format, written, first);
  return join(format, written);
}

/** Returns the messages of a request. */
export function messagesOf(format: RenderFormat, raw: Raw.ChatMessage[]): any[] {
  const request: any = requestOf(format, raw, false);
  return request.contents ?? request.messages;
}

function runsOf(raw: readonly Raw.ChatMessage[]): Run[] {
  const runs: Run[] = [];
  for (const message of raw) {
    const entries = entriesOf(message);
    const last = runs.at(-1);
    if (entries && last?.entries) append(last.entries, entries);
    else if (entries) runs.push({ entries: [...entries] });
    else if (last && !last.entries) last.raw.push(message);
    else runs.push({ raw: [message] });
  }
  return runs;
}

function fromTree(format: RenderFormat, raw: Raw.ChatMessage[]): Written {
  switch (format) {
    case "anthropic": {
      const { system = [], messages } = toAnthropic(raw);
      return { system, messages };
    }
    case "gemini": {
      const { systemInstruction, contents } = toGemini(raw);
      return { system: systemInstruction?.parts ?? [], messages: contents };
    }
    case "openai-chat":
      // No message of a prompt has the deprecated function role, and every result has the id of its call.
      return { system: [], messages: toMode(OutputMode.OpenAI, raw).map(withoutUndefined) };
    case "vscode":
      return { system: [], messages: toMode(OutputMode.VSCode, raw) };
    case "ai-sdk":
      return { system: [], messages: toAiSdk(raw) };
    default:
      return { system: [], messages: raw };
  }
}

function fromHistory(format: RenderFormat, entries: readonly Entry[]): Written {
  const list = entries.map(({ message }) => message);
  const from = entries[0]!.format;
  if (from === format) return { system: [], messages: list };
  const provider = PROVIDERS.find((name) => name === format);
  const named = withNames(entries);
  // Formats without a provider follow the strictest one: Gemini's calls have no ids, others need them.
  const neutral = provider
    ? named
    : repair(named, { provider: "openai-chat", format: "espalier", pending: "keep" }).messages;
  const { system, messages } = convert(neutral, format, { from: "espalier" });
  const sound = provider ? repair(messages, { provider, format, pending: "keep" }).messages : messages;
  return {
    system: system === undefined ? [] : [format === "gemini" ? { text: system } : { type: "text", text: system }],
    messages: sound,
  };
}

/** Returns neutral messages with ids of their own, and the names of tools in their results. */
function withNames(entries: readonly Entry[]): NeutralMessage[] {
  const names = new Map<string, string>();
  return entries.map(({ neutral }, at) => ({
    ...neutral,
    id: `h${at}`,
    parts: neutral.parts.map((part) => {
      if (part.type === "toolCall") names.set(part.callId, part.name);
      const name = part.type === "toolResult" ? (part.name ?? names.get(part.callId)) : undefined;
      return part.type === "toolResult" && name !== undefined ? { ...part, name } : part;
    }),
  }));
}

function join<F extends RenderFormat>(format: F, written: readonly Written[]): Requests[F] {
  const system = written.flatMap((run) => run.system);
  const messages = written.flatMap((run) => run.messages);
  const made: { [K in RenderFormat]: () => Requests[K] } = {
    "openai-chat": () => ({ messages }),
    anthropic: () => ({ ...(system.length > 0 && { system: system as AnthropicTextBlock[] }), messages }),
    gemini: () => ({
      ...(system.length > 0 && { systemInstruction: { parts: system } }),
      contents: written.length > 1 ? alternating(messages) : messages,
    }),
    vscode: () => ({ messages }),
    "ai-sdk": () => ({ messages }),
    raw: () => ({ messages }),
  };
  return made[format]();
}

/** Joins neighbours of one role, since Gemini requires alternating roles. */
function alternating(contents: readonly GeminiContent[]): GeminiContent[] {
  const out: GeminiContent[] = [];
  for (const content of contents) {
    const last = out.at(-1);
    if (last?.role !== content.role) out.push(content);
    else
      out[out.length - 1] = {
        ...last,
        parts: resultsFirst([...last.parts, ...content.parts], (part) => "functionResponse" in part),
      };
  }
  return out;
}

/** Marks the end of what precedes the history, if the provider accepts one more mark. */
function mark(format: RenderFormat, written: readonly Written[], first: number): void {
  const before = written.slice(0, first);
  if (format === "anthropic") {
    const last = before.flatMap(({ messages }) => messages).at(-1)?.content ?? before.flatMap(({ system }) => system);
    const block = Array.isArray(last) ? last.at(-1) : undefined;
    const blocks = written.flatMap(({ system, messages }) => [
      ...system,
      ...messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])),
    ]);
    const count = blocks.filter((one: AnthropicBlock) => "cache_control" in one && one.cache_control).length;
    if (block && !block.cache_control && count < MOST_MARKS) block.cache_control = { type: "ephemeral" };
  } else if (format === "raw") {
    const run = before.at(-1);
    const last = run?.messages.at(-1) as Raw.ChatMessage | undefined;
    if (!last || last.content.some(({ type }) => type === ChatCompletionContentPartKind.CacheBreakpoint)) return;
    run!.messages[run!.messages.length - 1] = {
      ...last,
      content: [...last.content, { type: ChatCompletionContentPartKind.CacheBreakpoint, cacheType: "ephemeral" }],
    };
  }
}

/** Some servers refuse fields without a value. */
function withoutUndefined<T extends object>(message: T): T {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as T;
}
