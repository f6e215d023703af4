/** Which lines of a session stay when its live context becomes another list of messages, and where new messages go. */

import { isFields } from "./draft.ts";
import type { Fields } from "./draft.ts";
import type { Session, SessionPlace } from "./types.ts";

export interface Rewrite {
  /** Lines up to this place stay as they are: the compaction that the list begins with. */
  from: SessionPlace;
  /** Places of messages behind `from` that stay. */
  kept: ReadonlySet<SessionPlace>;
  /** New messages, by the place that they follow; at `from` those that come first. */
  inserted: ReadonlyMap<SessionPlace, readonly unknown[]>;
}

/** Recognises messages of the session by identity. A message that moved forward counts as new. */
export function plan(session: Session, messages: readonly unknown[]): Rewrite {
  const { history, entries, compactions } = session;
  const last = compactions.at(-1);
  const isKept = last !== undefined && last.context.every((message, at) => messages[at] === message);
  const skipped = isKept ? last.context.length : 0;
  const before = isKept ? last.before : 0;
  const from = isKept ? endOf(session) : 0;
  const indices = new Map(history.map((message, index) => [message, index]));
  const kept = new Set<SessionPlace>();
  const inserted = new Map<SessionPlace, unknown[]>();
  let [place, previous] = [from, before - 1];
  for (const message of messages.slice(skipped)) {
    const index = indices.get(message);
    // Parallel calls and their results take turns in the file: nothing fits between them, and results behind a new
    // message are new lines.
    const fits = !inserted.has(place) || (index !== undefined && entries[index]!.places[0]! > place);
    if (index !== undefined && index > previous && fits) {
      for (const one of entries[index]!.places) kept.add(one);
      place = Math.max(place, ...entries[index]!.places);
      previous = index;
      continue;
    }
    const list = inserted.get(place);
    if (list) list.push(message);
    else inserted.set(place, [message]);
  }
  return { from, kept, inserted };
}

/** The last place before the messages that follow the newest compaction. */
function endOf({ entries, compactions }: Session): SessionPlace {
  const { before, place } = compactions.at(-1)!;
  const next = entries.slice(before).flatMap(({ places }) => places);
  return next.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(place, Math.min(...next) - 1);
}

/** The object in a line, if it is one. A torn line is reported when the file is read, and stays where it is. */
export function parsedLine(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line.replace(/^\uFEFF/, ""));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
