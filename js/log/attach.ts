/** Matches the host's own objects to the messages of a log that was read. */

import { growing } from "../formats/index.ts";
import type { Growing } from "../formats/index.ts";
import { badValue, EspalierError } from "../errors/errors.ts";
import type { LogImportOptions } from "./types.ts";
import type { Format, NeutralMessage } from "../types/messages.ts";
import { isEqual } from "../formats/values.ts";
import { sameShape } from "./fields.ts";
import { messageOf } from "./lines.ts";
import type { Lines } from "./lines.ts";

/** What precedes the message in a line of the log. */
const MESSAGE = ',"message":';

/** A log whose messages have no objects yet. */
export interface Unattached {
  hosts: Growing;
  lines: Lines;
  /** Returns true if the core has exactly this message. */
  has(message: NeutralMessage): boolean;
}

/** The host's messages as they were stored. */
export interface StoredMessages<T> {
  format: Format;
  /** In the order in which they were stored, `undefined` for a line without a message. */
  messages: readonly (T | undefined)[];
  /** Recreates a message from the log's; returns nothing if it cannot. */
  again: (message: NeutralMessage) => T | undefined;
}

/** What became of stored messages, by their index. */
export interface Attached {
  /** Number of messages that were recreated. */
  made: number;
  /** Messages that follow those of the log. */
  later: number[];
  /** Number of lines that are not what the log has there: changed, moved or added. */
  odd: number;
}

/** @throws EspalierError `bad_message` if these are not the messages of the log */
export function attach<T>(log: Unattached, messages: LogImportOptions<T>["messages"], exact: boolean): void {
  const known = log.lines.messages<NeutralMessage>();
  const list: readonly unknown[] = typeof messages === "function" ? messages(known) : (messages ?? known);
  if (list.length !== known.length) {
    throw badValue(
      "options.messages",
      `the ${known.length} messages of the log`,
      `${list.length} messages`,
      "bad_message",
    );
  }
  // Recreated messages need not be identical; edits name their parts by number.
  take(
    log,
    list,
    (message, at) =>
      messages === undefined || (!exact && sameShape(message, known[at]!)) || isOwn(log, message, known[at]!),
  );
}

/**
 * Attaches messages to a reopened conversation. A stored message is used where it is the log's; others are recreated
 * from the log, which has a hash of every line.
 *
 * @throws EspalierError `bad_message` with the number of a message that cannot be recreated
 */
export function attachStored<T>(log: Unattached, stored: StoredMessages<T>): Attached {
  const { messages, again } = stored;
  const lines = log.lines.of("message");
  const known = (at: number) => messageOf<NeutralMessage>(lines[at]!);
  const make = (at: number) => again(known(at)) ?? notThere(at);
  const isStored = (message: NeutralMessage, at: number) => isIn(lines[at]!, message) || isOwn(log, message, known(at));
  const count = Math.min(lines.length, messages.length);
  const list = () => lines.map((_, at) => (at < count ? messages[at] : make(at)));
  const isSame = (message: NeutralMessage, at: number) =>
    at < count ? isStored(message, at) : sameShape(message, known(at));
  // Most storages are as they were written.
  const isWhole = !messages.slice(0, count).includes(undefined) && tried(log, list, isSame);
  const { places, behind } = isWhole ? { places: [...lines.keys()], behind: count } : placesOf(log, lines, stored);
  if (!isWhole) {
    const found = places.map((place, at) => (place === undefined ? make(at) : messages[place]));
    take(log, found, (message, at) => sameShape(message, known(at)) || isOwn(log, message, known(at)));
  }
  const used = new Set(places);
  const later: number[] = [];
  let odd = 0;
  for (const [index, message] of messages.entries()) {
    if (message === undefined || places[index] === index) continue;
    if (index >= behind && !used.has(index) && isMessage(message, stored.format)) later.push(index);
    else odd += 1;
  }
  const made = isWhole ? lines.length - count : places.filter((place) => place === undefined).length;
  return { made, later, odd };
}

/** Returns where the messages of the log are among the stored ones, and where later ones begin. */
function placesOf<T>(log: Unattached, lines: readonly string[], { format, messages }: StoredMessages<T>) {
  const usable = [...messages.keys()].filter((index) => isMessage(messages[index], format));
  const read = readTogether(
    usable.map((index) => messages[index]),
    format,
  );
  const free = new Map<number, NeutralMessage>(read.map((message, number) => [usable[number]!, message]));
  const byText = new Map<string, number[]>();
  for (const [index, message] of [...free].toReversed()) {
    const text = textOf(message);
    const same = byText.get(text);
    if (same) same.push(index);
    else byText.set(text, [index]);
  }
  let last: { index: number; at: number } | undefined;
  const places = lines.map((line, at) => {
    const known = messageOf<NeutralMessage>(line);
    const own = free.get(at);
    let index = own && isOwn(log, { ...own, id: known.id }, known) ? at : undefined;
    const same = byText.get(textOf(known)) ?? [];
    while (index === undefined && same.length > 0) {
      const next = same.pop()!;
      if (free.has(next)) index = next;
    }
    if (index === undefined) return undefined;
    free.delete(index);
    last = { index, at };
    return index;
  });
  // The messages behind the last known one were changed, or lost, too. With none known, all are of another
  // conversation.
  const behind = last ? last.index + lines.length - last.at : lines.length === 0 ? 0 : messages.length;
  return { places, behind };
}

/** The text of a message, whatever its number. */
function textOf(message: NeutralMessage): string {
  return JSON.stringify({ ...message, id: "" });
}

function isMessage(message: unknown, format: Format): boolean {
  try {
    growing(format).push([message]);
    return true;
  } catch {
    return false;
  }
}

function readTogether(messages: readonly unknown[], format: Format): NeutralMessage[] {
  try {
    return growing(format).push(messages).messages;
  } catch {
    // Each of them is a message, and together they are no conversation.
    return [];
  }
}

/** Takes messages if they are the log's; returns whether they are. */
function tried({ hosts }: Unattached, list: () => readonly unknown[], isSame: IsSame): boolean {
  try {
    const read = hosts.push(list());
    if (read.messages.every(isSame)) {
      read.keep();
      return true;
    }
  } catch {
    // Another order may be right.
  }
  hosts.forget();
  return false;
}

type IsSame = (message: NeutralMessage, at: number) => boolean;

function take({ hosts }: Unattached, list: readonly unknown[], isSame: IsSame): void {
  const read = hosts.push(list, "options.messages");
  const odd = read.messages.findIndex((message, at) => !isSame(message, at));
  if (odd >= 0) notThere(odd);
  read.keep();
}

function notThere(at: number): never {
  const path = `options.messages[${at}]`;
  throw new EspalierError({
    code: "bad_message",
    message: `${path} is not the message that the log has there`,
    path,
  });
}

/**
 * Returns whether the line is of this message. The core writes messages in the order of fields in which they are read.
 */
function isIn(line: string, message: NeutralMessage): boolean {
  const text = JSON.stringify(message);
  const from = line.indexOf(MESSAGE) + MESSAGE.length;
  // Six times as fast as `startsWith`.
  return line.slice(from, from + text.length) === text;
}

/** A message that differs may still be what the core made of it: half of a surrogate pair is not text there. */
function isOwn(log: Unattached, message: NeutralMessage, known: NeutralMessage): boolean {
  return message.id === known.id && (isEqual(message, known) || log.has(message));
}
