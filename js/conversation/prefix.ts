/** What a request begins with as the one before did: providers keep that. */

import type { LogView } from "../log-types.ts";
import type { ConversationLog } from "../log.ts";
import { namesOf } from "./names.ts";

export class Prefix<T> {
  private before: { messages: readonly T[]; tools: string } | undefined;

  /** Takes the next request. Nothing of the first. */
  next(messages: readonly T[], view: LogView<T>, log: ConversationLog<T>, tools: string): { shared?: { messages: number; tokens: number } } {
    const { before } = this;
    this.before = { messages, tools };
    if (!before) return {};
    // Tools come first in every provider's cache.
    if (before.tools !== tools) return { shared: { messages: 0, tokens: 0 } };
    let count = 0;
    while (count < messages.length && count < before.messages.length && alike(messages[count], before.messages[count])) count += 1;
    const names = namesOf(view, (id) => log.original(id));
    const ids = new Map(view.messages.map((message, at) => [message, names[at]!]));
    const known = messages.slice(0, count).flatMap((message) => ids.get(message) ?? []);
    return { shared: { messages: count, tokens: known.length === 0 ? 0 : log.tokensOf(known) } };
  }
}

/** The same bytes when sent. What a conversation made is made anew for every view. */
function alike(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
