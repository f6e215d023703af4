/** Matches the host's own objects to the messages of a log that was read. */

import type { Growing } from "../formats/index.ts";
import { badValue, EspalierError } from "../errors/errors.ts";
import type { LogImportOptions } from "./types.ts";
import type { NeutralMessage, Role } from "../types/messages.ts";
import { isEqual } from "../formats/values.ts";
import { sameShape } from "./fields.ts";
import { messageOf } from "./lines.ts";
import type { Lines } from "./lines.ts";

/** Roles in the numbering of the core's `shapes`; the number of parts is in the higher bits. */
const ROLES: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];
const PARTS = 8;

/** A log whose messages have no objects yet. */
export interface Unattached {
  hosts: Growing;
  lines: Lines;
  /** Returns true if the core has exactly this message. */
  has(message: NeutralMessage): boolean;
  /** Returns role and number of parts of every message in the core. */
  shapes(): Uint32Array;
}

/**
 * The host's stored messages, from the first on, and a function that recreates others from the log's; it returns
 * nothing for one that it cannot make.
 */
export interface StoredMessages<T> {
  messages: readonly T[];
  again: (message: NeutralMessage) => T | undefined;
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
 * Attaches messages to a reopened conversation, without parsing a line whose message is stored beside the log and looks
 * like the log's.
 *
 * @throws EspalierError `bad_message`
 */
export function attachStored<T>(log: Unattached, { messages, again }: StoredMessages<T>): void {
  const lines = log.lines.of("message");
  const known = (at: number) => messageOf<NeutralMessage>(lines[at]!);
  const shapes = log.shapes();
  const list = lines.map((_, at) => {
    const message = at < messages.length ? messages[at] : again(known(at));
    return message === undefined ? notThere(at) : message;
  });
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

/** A message that differs may still be what the core made of it: half of a surrogate pair is not text there. */
function isOwn(log: Unattached, message: NeutralMessage, known: NeutralMessage): boolean {
  return message.id === known.id && (isEqual(message, known) || log.has(message));
}
