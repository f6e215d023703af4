/** Reads sessions that mark which messages the model still sees: unmarked ones were compacted away. */

import type { Draft } from "./draft.ts";
import type { SessionEntry } from "./types.ts";

export interface Marked {
  message: unknown;
  place: number;
  isLive: boolean;
  /** The summary of the messages that were compacted away. */
  summary?: string;
  more?: Omit<SessionEntry, "places">;
}

/** Pushes messages, and records a compaction after the last one that the model no longer sees. */
export function pushMarked(draft: Draft, list: readonly Marked[]): void {
  const end = list.findLastIndex(({ isLive }) => !isLive) + 1;
  const early: unknown[] = [];
  list.slice(0, end).forEach((one) => {
    if (one.summary !== undefined) return void (one.isLive && early.push(one.message));
    push(draft, one);
    if (one.isLive) early.push(one.message);
  });
  const rest = list.slice(end);
  // The context contains summaries, the history does not.
  const summaries = rest.filter(({ summary }) => summary !== undefined);
  const summary =
    summaries.at(-1)?.summary ?? list.slice(0, end).findLast((one) => one.isLive && one.summary !== undefined)?.summary;
  if (end > 0) {
    const place = summaries[0]?.place ?? list[end - 1]!.place;
    draft.compact(place, [...early, ...summaries.map(({ message }) => message)], { summary });
  }
  for (const one of rest) if (one.summary === undefined || end === 0) push(draft, one);
}

function push(draft: Draft, { message, place, more }: Marked): void {
  draft.push(message, place, more);
}
