/** What a request begins with as the one before did: providers keep that. */

import type { LogView } from "../log-types.ts";
import type { ConversationLog } from "../log.ts";
import { shared } from "../validity/standing.ts";
import { namesOf } from "./names.ts";

interface Before<T> {
  messages: readonly T[];
  tools: string;
  /** By whose count tokens are. */
  model: string;
  /** Tokens of so many messages at its beginning. */
  known: { messages: number; tokens: number };
}

export class Prefix<T> {
  private before: Before<T> | undefined;

  /** Takes the next request. Nothing of the first. */
  next(messages: readonly T[], view: LogView<T>, log: ConversationLog<T>, tools: string, model: string): { shared?: { messages: number; tokens: number } } {
    const { before } = this;
    const none = { messages: 0, tokens: 0 };
    this.before = { messages, tools, model, known: none };
    if (!before) return {};
    // Tools come first in every provider's cache.
    if (before.tools !== tools) return { shared: none };
    const count = shared(messages, before.messages);
    // What was counted for the request before need not be counted again.
    const known = before.model === model && before.known.messages <= count ? before.known : none;
    const names = namesOf(view, (id) => log.original(id));
    const ids = new Map(view.messages.map((message, at) => [message, names[at]!]));
    const added = messages.slice(known.messages, count).flatMap((message) => ids.get(message) ?? []);
    const all = { messages: count, tokens: known.tokens + (added.length === 0 ? 0 : log.tokensOf(added)) };
    this.before.known = all;
    return { shared: all };
  }
}
