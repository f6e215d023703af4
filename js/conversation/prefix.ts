/** The beginning that a request shares with the previous one: providers cache it. */

import { isEqual } from "../formats/values.ts";
import type { LogView } from "../log/types.ts";
import type { ConversationLog } from "../log/log.ts";
import { namesOf } from "./names.ts";

/** Max number of messages that are counted one by one. */
const MAX_SINGLE = 32;

/** The facts of a request that the next one is compared with. */
interface Sent<T> {
  messages: readonly T[];
  tools: string;
  /** The model whose count the tokens are. */
  model: string;
  /** Tokens of its first `messages` messages. */
  known: { messages: number; tokens: number };
}

/**
 * The shared beginning of two requests: the number of messages, and their tokens without those of the unedited messages
 * `ids`.
 */
export interface Shared {
  messages: number;
  tokens: number;
  ids: string[];
}

export class Prefix<T> {
  private newest: Sent<T> | undefined;

  /** Compares the next request with the previous one. Returns nothing for the first. */
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
    // Reuses the count of the previous request.
    const known = before.model === model && before.known.messages <= count ? before.known : none;
    const ids = addedIds(messages, known.messages, count, view);
    const others = ids ? 0 : tokensOf(messages.slice(known.messages, count), view, log);
    return { messages: count, tokens: known.tokens + others, ids: ids ?? [] };
  }

  /** Takes the tokens of the shared messages. */
  counted(known: Sent<T>["known"]): void {
    if (this.newest) this.newest.known = known;
  }
}

/**
 * Returns the ids of the messages `from`..`to` of a request, if they are few and unedited: the view need not be
 * searched. Requests are cut before their newest messages, so places are counted from the end.
 */
function addedIds<T>(messages: readonly T[], from: number, to: number, view: LogView<T>): string[] | undefined {
  if (to - from > MAX_SINGLE || view.plan.length !== view.messages.length) return undefined;
  const first = from + view.messages.length - messages.length;
  const ids = messages.slice(from, to).flatMap((message, number) => {
    const item = view.plan[first + number];
    return view.messages[first + number] === message && item?.type === "keep" ? [item.id] : [];
  });
  return ids.length === to - from ? ids : undefined;
}

/** Returns the tokens of messages of a request. */
function tokensOf<T>(messages: readonly T[], view: LogView<T>, log: ConversationLog<T>): number {
  const names = namesOf(view, (id) => log.original(id));
  const own = new Map(view.messages.map((message, at) => [message, names[at]!]));
  return log.tokensOf(messages.flatMap((message) => own.get(message) ?? []));
}

/** Returns how many messages two lists share at their beginning. Records and joined messages are new in every view. */
function shared(a: readonly unknown[], b: readonly unknown[]): number {
  const max = Math.min(a.length, b.length);
  let count = 0;
  while (count < max && isEqual(a[count], b[count])) count += 1;
  return count;
}
