/** Finds tool results that a conversation holds more than once. */

import type { Reading } from "../formats/adapter.ts";
import { words } from "../formats/parts.ts";
import { countPart } from "../calls/count.ts";
import type { CountOptions } from "../types/count.ts";

export interface Repeat {
  /** Name of the tool. */
  tool: string;
  /** How often the same text occurs. */
  count: number;
  /** Tokens of all but the last of them. */
  tokens: number;
  /** Indices of the messages that hold them. */
  messages: number[];
}

/** Shorter results are not reported, in characters. */
const SHORTEST = 200;
const MOST = 10;

export function repeatsIn({ messages, source }: Reading, counting: CountOptions): Repeat[] {
  const offset = messages.length - source.list.length;
  const names = new Map<string, string>();
  const seen = new Map<string, { tool: string; messages: number[] }>();
  messages.forEach(({ parts }, index) => {
    for (const part of parts) {
      if (part.type === "toolCall") names.set(part.callId, part.name);
      if (part.type !== "toolResult") continue;
      const text = words(part.content);
      if (text.length < SHORTEST) continue;
      const known = seen.get(text);
      if (known) known.messages.push(index - offset);
      else seen.set(text, { tool: part.name ?? names.get(part.callId) ?? "a tool", messages: [index - offset] });
    }
  });
  const { encoding, model, costModel, tokenizer } = counting;
  const how = {
    ...(encoding && { encoding }),
    ...(model && { model }),
    ...(costModel && { costModel }),
    ...(tokenizer && { tokenizer }),
  };
  const repeats = [...seen]
    .filter(([, one]) => one.messages.length > 1)
    .map(([text, { tool, messages: indices }]) => {
      const { tokens } = countPart({ type: "text", text }, how);
      return { tool, count: indices.length, tokens: tokens * (indices.length - 1), messages: indices };
    });
  return repeats.sort((a, b) => b.tokens - a.tokens).slice(0, MOST);
}
