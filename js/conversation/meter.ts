/** What is counted beside the messages: a system prompt that is kept apart, and tools. */

import { countMessages } from "../calls/count.ts";
import type { ConversationLog } from "../log/log.ts";

/** Tools that a warning names. */
const LARGEST = 5;

/** Counts a system prompt that is kept apart from the messages. */
export function countSystem<T>(log: ConversationLog<T>, system: string | undefined): number {
  if (system === undefined) return 0;
  const { tools: _, ...how } = log.counted({});
  const count = (messages: unknown[]) => countMessages(messages, how).total;
  return count([{ id: "system", role: "system", parts: [{ type: "text", text: system }] }]) - count([]);
}

/** Returns the tools that take most. */
export function largestTools<T>(log: ConversationLog<T>): { name: string; tokens: number }[] {
  return countMessages([], log.counted({}))
    .perTool.toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST);
}
