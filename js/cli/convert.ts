/** Converts messages to another format, or to a file of the tool that wrote the session. */

import { convert, EspalierError, repair } from "../entries/verbs.ts";
import type { Format, ProviderName } from "../entries/verbs.ts";
import { requestOf } from "../formats/convert.ts";
import { sessionLayouts, writeSession } from "../sessions/index.ts";
import type { Session } from "../sessions/index.ts";
import { PROVIDERS } from "../validity/providers.ts";
import { sourceOf } from "./source.ts";

export interface Written {
  text: string;
  /** Losses of the conversion, and repairs, for people. */
  notes: string[];
}

export function isLayout(name: string): boolean {
  return sessionLayouts().some(({ layout }) => layout === name);
}

/**
 * @throws EspalierError `bad_option` if the layout is not that of the session, `unsupported` if its tool does not
 *   resume from its file
 */
export function writtenAs(
  messages: unknown,
  to: string,
  format: Format,
  session: Session | undefined,
  original: () => string,
): Written {
  if (isLayout(to)) {
    if (session?.layout !== to) {
      const has = session ? `a file of ${session.layout}` : "not a session file";
      const message = `--to ${to} writes a session in its own layout, but FILE is ${has}; with convert, --session names the session file`;
      throw new EspalierError({ code: "bad_option", message, path: "options.to" });
    }
    return { text: writeSession(session, withOwnObjects(messages, format, session), original()), notes: [] };
  }
  const converted = convert(messages, to as Format, { from: format });
  const { lost } = converted;
  const notes = lost.length === 0 ? [] : [`left out: ${countLosses(lost)}, which ${to} cannot express`];
  const provider = PROVIDERS.find((name) => name === to);
  const request = requestOf(converted);
  const { messages: repaired, changes } = provider
    ? repairRequest(request, provider)
    : { messages: request, changes: 0 };
  if (changes > 0) notes.push(`repaired for ${to}: ${changes} changes`);
  return { text: JSON.stringify(repaired, null, 2), notes };
}

function repairRequest(messages: unknown, provider: ProviderName): { messages: unknown; changes: number } {
  const { messages: out, report } = repair(messages, { provider, format: provider });
  return { messages: out, changes: report.changes.length };
}

function countLosses(lost: ReturnType<typeof convert>["lost"]): string {
  const counts = new Map<string, number>();
  for (const { part, count } of lost) counts.set(part, (counts.get(part) ?? 0) + count);
  return Array.from(counts, ([part, count]) => `${count} × ${part}`).join(", ");
}

/** Replaces messages by equal objects of the session, so that they keep their lines. */
function withOwnObjects(messages: unknown, format: Format, session: Session): unknown[] {
  const given = sourceOf(messages, format);
  const list = format === session.format ? given.list : convert(messages, session.format, { from: format }).messages;
  const known = new Set([...session.history, ...session.messages]);
  const byText = new Map<string, unknown[]>();
  const line = (message: unknown) => JSON.stringify(message);
  for (const message of known) {
    const text = line(message);
    const equal = byText.get(text);
    if (equal) equal.push(message);
    else byText.set(text, [message]);
  }
  return list.map((message) => (known.has(message) ? message : (byText.get(line(message))?.shift() ?? message)));
}
