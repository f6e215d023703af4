/** Converts messages to another format, or to a file of the tool that wrote the session. */

import { convert, EspalierError, repair } from "../entries/verbs.ts";
import type { ConversionLoss, Format, RepairChange } from "../entries/verbs.ts";
import { requestOf } from "../formats/convert.ts";
import { FORMATS } from "../formats/index.ts";
import { sessionLayouts, writeSession } from "../sessions/index.ts";
import type { Session } from "../sessions/index.ts";
import { PROVIDERS } from "../validity/providers.ts";
import { sourceOf } from "./source.ts";
import { plural } from "./report.ts";

export interface Written {
  /** The request or list of messages in another format; absent for a file of a tool. */
  messages?: unknown;
  /** The file of a tool in its layout. */
  file?: string;
  conversion: Conversion;
}

/** What a conversion left out, and what it changed so that the provider takes the result. */
export interface Conversion {
  from: Format;
  to: string;
  lost: ConversionLoss[];
  changes: RepairChange[];
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
  model = session?.model,
): Written {
  // Some layouts have the name of a format.
  if (isLayout(to) && !isFormat(to)) {
    if (session?.layout !== to) {
      const has = session ? `a file of ${session.layout}` : "not a session file";
      const message =
        `--to ${to} writes a session in its own layout, but FILE is ${has}. A file of one tool cannot become ` +
        `one of another; --to FORMAT makes messages of it. If the messages belong to a file of ${to}, convert ` +
        "--session names it";
      throw new EspalierError({ code: "bad_option", message, path: "options.to" });
    }
    const file = writeSession(session, withOwnObjects(messages, format, session), original());
    return { file, conversion: { from: format, to, lost: [], changes: [] } };
  }
  const converted = convert(messages, to as Format, { from: format });
  const { lost } = converted;
  const request = requestOf(converted);
  const provider = PROVIDERS.find((name) => name === to);
  if (!provider) return { messages: request, conversion: { from: format, to, lost, changes: [] } };
  const { messages: repaired, report } = repair(request, {
    provider,
    format: provider,
    ...(model !== undefined && { model }),
  });
  return { messages: repaired, conversion: { from: format, to, lost, changes: report.changes } };
}

function isFormat(name: string): name is Format {
  return (FORMATS as readonly string[]).includes(name);
}

/** Returns losses and repairs for people. */
export function shownConversion({ to, lost, changes }: Conversion): string[] {
  return [
    ...(lost.length === 0 ? [] : [`left out: ${countLosses(lost)}, which ${to} cannot express`]),
    ...(changes.length === 0
      ? []
      : [`repaired for ${to}: ${plural(changes.length, "change")}`, ...shownChanges(changes)]),
  ];
}

/** Returns a line for each rule, with one of its changes. */
export function shownChanges(changes: readonly Pick<RepairChange, "rule" | "message">[]): string[] {
  const counts = new Map<string, { count: number; message: string }>();
  for (const { rule, message } of changes) {
    const known = counts.get(rule);
    if (known) known.count += 1;
    else counts.set(rule, { count: 1, message });
  }
  return Array.from(counts, ([rule, { count, message }]) =>
    count === 1 ? `  ${rule}: ${message}` : `  ${rule}: ${plural(count, "change")}, such as: ${message}`,
  );
}

function countLosses(lost: readonly ConversionLoss[]): string {
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
