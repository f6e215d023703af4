/** Counts the content besides the messages: a separate system prompt, and tools. */

import { countMessages } from "../calls/count.ts";
import type { ConversationLog } from "../log/log.ts";

/** Max tools that a warning names. */
const LARGEST = 5;

/** Counts a separate system prompt. */
export function countSystem<T>(log: ConversationLog<T>, system: string | undefined): number {
  if (system === undefined) return 0;
  const { tools: _, ...how } = log.counted({});
  const count = (messages: unknown[]) => countMessages(messages, how).total;
  return count([{ id: "system", role: "system", parts: [{ type: "text", text: system }] }]) - count([]);
}

/** Returns the tools with the most tokens. */
export function largestTools<T>(log: ConversationLog<T>): { name: string; tokens: number }[] {
  return countMessages([], log.counted({}))
    .perTool.toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST);
}
