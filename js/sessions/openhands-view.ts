/**
 * The live messages of an OpenHands conversation: a condensation names the events that it removes, and inserts a
 * summary.
 */

import { fields, items, number, objects } from "./draft.ts";
import type { Draft, Fields } from "./draft.ts";
import type { SessionEntry, SessionPlace } from "./types.ts";

type EventId = string | number;

interface Live {
  message: unknown;
  /** The events of the message; undefined for a summary. */
  events: EventId[] | undefined;
}

export class View {
  readonly draft: Draft;
  #live: Live[] = [];
  readonly #byIndex = new Map<number, Live>();

  constructor(draft: Draft) {
    this.draft = draft;
  }

  push(message: Fields, event: unknown, place: SessionPlace, more: Omit<SessionEntry, "places"> = {}): number {
    const live: Live = { message, events: isId(event) ? [event] : [] };
    this.#live.push(live);
    const index = this.draft.push(message, place, more);
    this.#byIndex.set(index, live);
    return index;
  }

  /** Adds another event of the same message. */
  extend(index: number, message: Fields, event: unknown, place: SessionPlace): void {
    const live = this.#byIndex.get(index);
    if (!live) return;
    live.message = message;
    if (isId(event)) live.events?.push(event);
    this.draft.extend(index, message, place);
  }

  /** Returns the message at an index of the history. */
  at(index: number): Fields {
    return fields(this.draft.messages[index]);
  }

  condense(record: Fields, place: SessionPlace): void {
    const { summary, forgotten_events_start_id: start, forgotten_events_end_id: end } = record;
    const named = new Set(items(record["forgotten_event_ids"]));
    const [from, to] = [number(start), number(end)];
    const isForgotten = (id: EventId) =>
      named.has(id) || (typeof id === "number" && from !== undefined && to !== undefined && id >= from && id <= to);
    const isGone = ({ events }: Live) => events === undefined || (events.length > 0 && events.every(isForgotten));
    const first = this.#live.findIndex((live) => live.events !== undefined && isGone(live));
    const kept = this.#live.filter((live) => !isGone(live));
    const text = typeof summary === "string" && summary !== "" ? summary : undefined;
    const at = this.#live.slice(0, Math.max(first, 0)).filter((live) => !isGone(live)).length;
    if (text !== undefined) kept.splice(at, 0, { message: { role: "user", content: text }, events: undefined });
    this.#live = paired(kept);
    this.draft.compact(
      place,
      this.#live.map(({ message }) => message),
      { summary: text },
    );
    if (this.draft.messages.length === 0) this.#byIndex.clear();
  }
}

function isId(value: unknown): value is EventId {
  return typeof value === "string" || typeof value === "number";
}

/** Drops results whose call was removed. */
function paired(list: Live[]): Live[] {
  const calls = new Set(list.flatMap(({ message }) => objects(fields(message)["tool_calls"]).map(({ id }) => id)));
  return list.filter(({ message }) => fields(message)["role"] !== "tool" || calls.has(fields(message)["tool_call_id"]));
}
