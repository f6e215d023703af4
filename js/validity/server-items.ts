/** Items that a server with context management adds to a conversation: summaries that only it can read. */

import { RULES } from "../formats/index.ts";
import type { Reading } from "../formats/adapter.ts";
import type { Fields } from "../formats/values.ts";
import { append } from "../formats/append.ts";

/**
 * Returns the ids of messages with such an item, and of the message after each. The item replaces everything before it,
 * and is never separated from the next message.
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
