/** Finding the host's own objects for the messages of a log that was read. */

import type { Growing } from "../formats/index.ts";
import { badValue, EspalierError } from "../errors/errors.ts";
import type { LogImportOptions } from "./types.ts";
import type { NeutralMessage, Role } from "../types/messages.ts";
import { alike, sameShape } from "./fields.ts";
import { messageOf } from "./lines.ts";
import type { Lines } from "./lines.ts";

/** As the core's `shapes` number roles; parts are counted above them. */
const ROLES: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];
const PARTS = 8;

/** A log whose messages have no objects yet. */
export interface Unattached {
  hosts: Growing;
  lines: Lines;
  /** True if the core has this very message. */
  has: (message: NeutralMessage) => boolean;
  /** Role and number of parts of every message, as the core has them. */
  shapes: () => Uint32Array;
}

/** Messages of a host as they were stored, from the first on, and how others are made again from the log's. */
export interface StoredMessages<T> {
  messages: readonly T[];
  again: (message: NeutralMessage) => T;
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
  // Messages that were made again from what was stored need not be the same to the letter; edits name their parts by
  // number.
  take(
    log,
    list,
    (message, at) =>
      messages === undefined || (!exact && sameShape(message, known[at]!)) || isOwn(log, message, known[at]!),
  );
}

/**
 * The same for a conversation that is opened again: no line is parsed whose message is stored beside the log and looks
 * like the log's.
 *
 * @throws EspalierError `bad_message`
 */
export function attachStored<T>(log: Unattached, { messages, again }: StoredMessages<T>): void {
  const lines = log.lines.of("message");
  const known = (at: number) => messageOf<NeutralMessage>(lines[at]!);
  const shapes = log.shapes();
  const list = lines.map((_, at) => (at < messages.length ? messages[at]! : again(known(at))));
  take(log, list, (message, at) => {
    const isNumbered =
      message.id === `m${at}` && shapes[at] === message.parts.length * PARTS + ROLES.indexOf(message.role);
    return isNumbered || sameShape(message, known(at)) || isOwn(log, message, known(at));
  });
}

function take(
  { hosts }: Unattached,
  list: readonly unknown[],
  isSame: (message: NeutralMessage, at: number) => boolean,
): void {
  const read = hosts.push(list, "options.messages");
  const odd = read.messages.findIndex((message, at) => !isSame(message, at));
  if (odd >= 0) {
    const path = `options.messages[${odd}]`;
    throw new EspalierError({
      code: "bad_message",
      message: `${path} is not the message that the log has there`,
      path,
    });
  }
  read.keep();
}

/**
 * What is not the same to the letter may still be what the core made of it: half of a surrogate pair is no text there.
 */
function isOwn({ has }: Unattached, message: NeutralMessage, known: NeutralMessage): boolean {
  return message.id === known.id && (alike(message, known) || has(message));
}
