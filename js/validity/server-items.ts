/** What a server that manages the context puts into a conversation: summaries of its own, which only it can read. */

import { isFields } from "../formats/values.ts";
import type { Reading } from "../formats/adapter.ts";
import { append } from "../formats/append.ts";

/** OpenAI's item and Anthropic's block have the same name. */
const TYPE = "compaction";

/**
 * Ids of the messages that hold such an item, and of those right behind them: the item stands for everything before,
 * and is never separated from what follows.
 */
export function serverItems({ messages, source }: Reading): string[] {
  const offset = messages.length - source.list.length;
  const ids: string[] = [];
  source.list.forEach((message, at) => {
    if (holdsItem(message))
      append(
        ids,
        messages.slice(at + offset, at + offset + 2).map(({ id }) => id),
      );
  });
  return ids;
}

function holdsItem(message: unknown): boolean {
  if (!isFields(message)) return false;
  const { type, content } = message;
  return (
    type === TYPE || (Array.isArray(content) && content.some((block) => isFields(block) && block["type"] === TYPE))
  );
}
