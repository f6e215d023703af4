/** What a request begins with as the one before did: providers keep that. */

import type { LogView } from "../log/types.ts";
import type { ConversationLog } from "../log/log.ts";
import { shared } from "../validity/standing.ts";
import { namesOf } from "./names.ts";

/** Most messages that are asked for one by one. */
const FEW = 32;

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
  next(
    messages: readonly T[],
    view: LogView<T>,
    log: ConversationLog<T>,
    tools: string,
    model: string,
  ): { shared?: { messages: number; tokens: number } } {
    const { before } = this;
    const none = { messages: 0, tokens: 0 };
    this.before = { messages, tools, model, known: none };
    if (!before) return {};
    // Tools come first in every provider's cache.
    if (before.tools !== tools) return { shared: none };
    const count = shared(messages, before.messages);
    // What was counted for the request before need not be counted again.
    const known = before.model === model && before.known.messages <= count ? before.known : none;
    const all = { messages: count, tokens: known.tokens + tokensOf(messages, known.messages, count, view, log) };
    this.before.known = all;
    return { shared: all };
  }
}

/** Tokens of the messages `from`..`to` of a request. */
function tokensOf<T>(
  messages: readonly T[],
  from: number,
  to: number,
  view: LogView<T>,
  log: ConversationLog<T>,
): number {
  const ids = messages.slice(from, Math.min(to, from + FEW)).flatMap((message, number) => {
    const item = view.plan[from + number];
    return view.plan.length === view.messages.length &&
      view.messages[from + number] === message &&
      item?.type === "keep"
      ? [item.id]
      : [];
  });
  // What came since the request before, and is as it came: the view need not be gone through.
  if (ids.length === to - from) return ids.reduce((sum, id) => sum + log.counts(id).tokens, 0);
  const names = namesOf(view, (id) => log.original(id));
  const own = new Map(view.messages.map((message, at) => [message, names[at]!]));
  return log.tokensOf(messages.slice(from, to).flatMap((message) => own.get(message) ?? []));
}
