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
import { aiSdkPrompt } from "../../formats/ai-sdk/prompt.ts";
import { anthropicPrompt } from "../../formats/anthropic/prompt.ts";
import type { AnthropicRequest } from "../../formats/anthropic/prompt.ts";
import { geminiPrompt } from "../../formats/gemini/prompt.ts";
import type { GeminiRequest } from "../../formats/gemini/prompt.ts";
import { openAIPrompt } from "../../formats/openai/prompt.ts";
import type { OpenAIPromptMessage } from "../../formats/openai/prompt.ts";
import type { PromptFormat, Written } from "../../formats/prompt.ts";
import { rawPrompt } from "../../formats/raw/items.ts";
import { vscodePrompt } from "../../formats/vscode/prompt.ts";
import type { Raw } from "./mode.ts";

export type { OpenAIPromptMessage };

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

/** The table of formats that prompts are written in. */
export const PROMPT_FORMATS: { [F in RenderFormat]: PromptFormat<Requests[F]> } = {
  "openai-chat": openAIPrompt,
  anthropic: anthropicPrompt,
  gemini: geminiPrompt,
  vscode: vscodePrompt,
  "ai-sdk": aiSdkPrompt,
  raw: rawPrompt,
};

/** A run of messages, either of elements or of a history. */
type Run = { raw: Raw.ChatMessage[]; entries?: undefined } | { entries: Entry[] };

/** `marks`: marks the last block before the history for the provider's cache. */
export function requestOf<F extends RenderFormat>(format: F, raw: Raw.ChatMessage[], marks: boolean): Requests[F] {
  const prompt = PROMPT_FORMATS[format] as PromptFormat<Requests[F]>;
  const runs = runsOf(raw);
  const first = runs.findIndex(({ entries }) => entries);
  if (first < 0) return prompt.request([prompt.write(raw)]);
  const written = runs.map((run) => (run.entries ? fromHistory(format, run.entries) : prompt.write(run.raw)));
  if (marks) prompt.mark?.(written, first);
  return prompt.request(written);
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
    system: system === undefined ? [] : [PROMPT_FORMATS[format].systemItem?.(system)],
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
