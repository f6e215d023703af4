/** What a request begins with as the one before did: providers keep that. */

import type { LogView } from "../log/types.ts";
import type { ConversationLog } from "../log/log.ts";
import { shared } from "../validity/standing.ts";
import { namesOf } from "./names.ts";

/** Messages up to which each one is counted by itself. */
const MAX_SINGLE = 32;

/** A request, as far as the next one can begin like it. */
interface Sent<T> {
  messages: readonly T[];
  tools: string;
  /** By whose count tokens are. */
  model: string;
  /** Tokens of so many messages at its beginning. */
  known: { messages: number; tokens: number };
}

/** What two requests share: a number of messages, and their tokens but for those of `ids` as they came. */
export interface Shared {
  messages: number;
  tokens: number;
  ids: string[];
}

export class Prefix<T> {
  private newest: Sent<T> | undefined;

  /** Takes the next request. Returns nothing for the first. */
  next(
    messages: readonly T[],
    view: LogView<T>,
    log: ConversationLog<T>,
    tools: string,
    model: string,
  ): Shared | undefined {
    const before = this.newest;
    const none = { messages: 0, tokens: 0 };
    this.newest = { messages, tools, model, known: none };
    if (!before) return undefined;
    // Tools come first in every provider's cache.
    if (before.tools !== tools) return { ...none, ids: [] };
    const count = shared(messages, before.messages);
    // What was counted for the request before need not be counted again.
    const known = before.model === model && before.known.messages <= count ? before.known : none;
    const ids = addedIds(messages, known.messages, count, view);
    const others = ids ? 0 : tokensOf(messages.slice(known.messages, count), view, log);
    return { messages: count, tokens: known.tokens + others, ids: ids ?? [] };
  }

  /** Takes the tokens of the messages that are shared. */
  counted(known: Sent<T>["known"]): void {
    if (this.newest) this.newest.known = known;
  }
}

/** Ids of the messages `from`..`to` of a request, if they are few and as they came: the view need not be gone through. */
function addedIds<T>(messages: readonly T[], from: number, to: number, view: LogView<T>): string[] | undefined {
  if (to - from > MAX_SINGLE || view.plan.length !== view.messages.length) return undefined;
  const ids = messages.slice(from, to).flatMap((message, number) => {
    const item = view.plan[from + number];
    return view.messages[from + number] === message && item?.type === "keep" ? [item.id] : [];
  });
  return ids.length === to - from ? ids : undefined;
}

/** Tokens of messages of a request. */
function tokensOf<T>(messages: readonly T[], view: LogView<T>, log: ConversationLog<T>): number {
  const names = namesOf(view, (id) => log.original(id));
  const own = new Map(view.messages.map((message, at) => [message, names[at]!]));
  return log.tokensOf(messages.flatMap((message) => own.get(message) ?? []));
}
