/** Writes files of Cline and Roo. Kept messages keep their original items. */

import { ClineItems, written } from "./cline-items.ts";
import { fields, isFields, items, number } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { idFrom } from "./names.ts";
import type { Session } from "./types.ts";

/** Fields that tie a message to a summary or a cut. */
const TIES = ["condenseParent", "truncationParent", "condenseId", "truncationId", "isSummary", "isTruncationMarker"];

export function writeCline(original: string, session: Session, messages: readonly unknown[]): string {
  const first: unknown = JSON.parse(original.replace(/^\uFEFF/, ""));
  const file: unknown = typeof first === "string" ? JSON.parse(first) : first;
  const list = Array.isArray(file) ? file : items(fields(file)["messages"]);
  const changed = itemsOf(list, session, messages);
  const whole = Array.isArray(file) ? changed : { ...fields(file), messages: changed };
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(original)?.[1];
  const value = JSON.stringify(whole, null, indent);
  return typeof first === "string" ? JSON.stringify(value) : value + (/\n$/.test(original) ? "\n" : "");
}

/** A message and the item that is written for it. */
interface Written {
  message: unknown;
  item: Fields;
}

function itemsOf(list: readonly unknown[], session: Session, messages: readonly unknown[]): unknown[] {
  const { history, entries, compactions } = session;
  const places = new Map(history.map((message, at) => [message, entries[at]!.places[0]!]));
  for (const { context, place } of compactions) places.set(context.at(-1), place);
  const last = compactions.at(-1);
  const isKept = last !== undefined && last.context.every((message, at) => messages[at] === message);
  const head = isKept ? list.slice(0, last.place + 1) : [];
  const rest = isKept ? messages.slice(last.context.length) : messages;
  const shapes = new Map(
    rest.flatMap((message) => {
      const place = places.get(message);
      return place === undefined ? [] : [[message, fields(list[place])]];
    }),
  );
  const out: Written[] = [];
  for (const [at, message] of rest.entries()) {
    const shape = shapes.get(message);
    const above = out.at(-1)?.item ?? fields(head.at(-1));
    out.push({
      message,
      item: shape ? untied(shape) : fresh(message, above, fields(list.find(isFields)), `${session.id ?? ""}:${at}`),
    });
  }
  settle(head, out);
  return [...head, ...withOthers(list, head.length, out, shapes, places)];
}

/**
 * Replaces the content of items that would be read differently from their message: the same text is a result after one
 * message and plain text after another.
 */
function settle(head: readonly unknown[], out: Written[]): void {
  const reading = new ClineItems();
  for (const item of head) reading.read(item);
  for (const one of out) {
    const { content } = fields(one.message);
    // The open calls before this item are needed twice, and reading consumes them.
    const isSame = JSON.stringify(reading.copy().read(one.item)) === JSON.stringify(one.message);
    if (!isSame) one.item = { ...one.item, content: written(content) };
    reading.read(one.item);
  }
}

/** Keeps items without a message before the same next message, or at the end. */
function withOthers(
  list: readonly unknown[],
  from: number,
  out: readonly Written[],
  shapes: ReadonlyMap<unknown, Fields>,
  places: ReadonlyMap<unknown, number>,
): unknown[] {
  const before = (place: number): unknown[] => {
    let start = place;
    while (start > from && new ClineItems().read(list[start - 1]) === undefined) start -= 1;
    return list.slice(start, place);
  };
  const seen = new Set<number>();
  const whole = out.flatMap(({ message, item }): unknown[] => {
    const place = shapes.has(message) ? places.get(message)! : -1;
    if (place < from || seen.has(place)) return [item];
    seen.add(place);
    return [...before(place), item];
  });
  return [...whole, ...before(list.length)];
}

function untied(item: Fields): Fields {
  if (!TIES.some((name) => name in item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => !TIES.includes(name)));
}

/** Makes a new item with the fields of its neighbours. */
function fresh(message: unknown, above: Fields, first: Fields, name: string): Fields {
  const { role, content } = fields(message);
  const time = number(above["ts"]) ?? (number(first["ts"]) === undefined ? undefined : number(first["ts"])! - 1);
  return {
    ...("id" in first && { id: idFrom(name) }),
    role,
    content: written(content),
    ...(time !== undefined && { ts: time + 1 }),
  };
}
