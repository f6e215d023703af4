/** The options of a conversation that a recorded session gives. */

import { defined } from "../options/data.ts";
import { dialectOf } from "../sessions/dialects.ts";
import type { ConversationOptions } from "./types.ts";

/**
 * Fills missing options from a recorded session. Its messages begin a new conversation; a stored one continues
 * unchanged.
 */
export function withSession<T>(options: ConversationOptions<T>): ConversationOptions<T> {
  const { session } = options;
  if (!session) return options;
  const { format, messages, system, tools, model, window } = session;
  const limits = model === undefined || window === undefined ? model : { name: model, maxContextWindowTokens: window };
  const { dialect = dialectOf(session.layout), ...ledger } = options.compact?.ledger ?? {};
  const compact = dialect === undefined ? options.compact : { ...options.compact, ledger: { ...ledger, dialect } };
  const recorded = defined({ format, messages: messages as T[], system, tools, model: limits });
  return { ...recorded, ...defined(options), ...defined({ compact }) } as ConversationOptions<T>;
}

/** Returns the id of the message with the summary of the newest compaction in a session's live context. */
export function recordOf<T>({ messages, session }: ConversationOptions<T>): string | undefined {
  const newest = session?.compactions.at(-1);
  if (messages !== undefined || newest?.summary === undefined) return undefined;
  const at = newest.context.findIndex((message) => {
    const { role, content, parts } = (typeof message === "object" && message !== null ? message : {}) as Record<
      string,
      unknown
    >;
    return (role === "user" || role === 1) && wordsOf(content ?? parts).includes(newest.summary!);
  });
  return at < 0 || session!.messages[at] !== newest.context[at] ? undefined : `m${at}`;
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part) => String((part as { text?: unknown } | null)?.text ?? "")).join("\n")
    : "";
}
