/** What a server that manages the context puts into a conversation: summaries of its own, which only it can read. */

import { RULES } from "../formats/index.ts";
import type { Reading } from "../formats/adapter.ts";
import type { Fields } from "../formats/values.ts";
import { append } from "../formats/append.ts";

/**
 * Ids of the messages that hold such an item, and of those right behind them: the item stands for everything before,
 * and is never separated from what follows.
 */
export function serverItems({ format, messages, source }: Reading): string[] {
  const { isServerItem } = RULES[format];
  if (!isServerItem) return [];
  const offset = messages.length - source.list.length;
  const ids: string[] = [];
  source.list.forEach((message, at) => {
    if (isServerItem(message as Fields))
      append(
        ids,
        messages.slice(at + offset, at + offset + 2).map(({ id }) => id),
      );
  });
  return ids;
}
