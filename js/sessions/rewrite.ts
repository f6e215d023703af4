/**
 * Plans which lines of a session stay when its live context becomes another list of messages, and where new messages
 * go.
 */

import { isFields } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { gluedRecords } from "./glued.ts";
import type { Session, SessionPlace } from "./types.ts";

export interface Rewrite {
  /** Lines up to this place stay unchanged: the compaction that the list begins with. */
  from: SessionPlace;
  /** Places after `from` whose messages stay. */
  kept: ReadonlySet<SessionPlace>;
  /** New messages, by the place that they follow; those at `from` come first. */
  inserted: ReadonlyMap<SessionPlace, readonly unknown[]>;
}

/**
 * Plans the new file. Messages of the session are recognised by identity; a message that moved forward counts as new.
 */
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
    // Parallel calls and their results alternate in the file: nothing fits between them, and results after a new
    // message become new lines.
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

/** Returns the last place before the messages that follow the newest compaction. */
function endOf({ entries, compactions }: Session): SessionPlace {
  const { before, place } = compactions.at(-1)!;
  const next = entries.slice(before).flatMap(({ places }) => places);
  return next.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(place, Math.min(...next) - 1);
}

/**
 * Parses the object in a line, or the last one. A torn line is reported when the file is read, and stays in place if no
 * record follows on it.
 */
export function parsedLine(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line.replace(/^\uFEFF/, ""));
    return isFields(value) ? value : undefined;
  } catch {
    const last = gluedRecords(line)?.records.at(-1);
    return isFields(last) ? last : undefined;
  }
}
