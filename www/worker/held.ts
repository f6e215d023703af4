/** The open conversation of the worker, and what belongs to it. */

import "../../js/entries/engines/core-web.ts";
import type { Reading } from "../../js/formats/adapter.ts";
import { readConversation } from "../../js/formats/index.ts";
import { countMessages } from "../../js/calls/count.ts";
import type { ConversationLog } from "../../js/entries/log.ts";
import { EspalierError } from "../../js/errors/errors.ts";
import type { EncodingName, Origin } from "../../js/types/count.ts";
import type { NeutralMessage } from "../../js/types/messages.ts";
import type { Open } from "../session.ts";
import { viewOf } from "../session.ts";
import type { Part } from "./questions.ts";

export interface Held {
  open: Open;
  part: Part;
  encoding: EncodingName;
  /** The messages of the part as the engine reads them. */
  reading: Reading;
  total: number;
  origin: Origin;
  /** Index of each message by id. */
  indexOf: Map<string, number>;
  /** Edits and pins. Made with the first of them, since it costs a count of everything. */
  log?: ConversationLog<NeutralMessage>;
  /** Increases with every change after which earlier runs do not hold. */
  version: number;
}

let current: Held | undefined;

export function held(): Held {
  if (!current) throw new EspalierError({ code: "bad_input", message: "No conversation is open." });
  return current;
}

/** Counts a part of an opened file and keeps it; if that fails, the previous one stays. */
export function hold(open: Open, part: Part, encoding: EncodingName): Held {
  const { input, options } = viewOf(open, part);
  const reading = readConversation(input, options);
  const { total, origin } = countMessages(input, { ...options, encoding });
  const indexOf = new Map(reading.messages.map(({ id }, index) => [id, index]));
  current?.log?.close();
  current = { open, part, encoding, reading, total, origin, indexOf, version: 0 };
  return current;
}

/** Returns the messages that the next request starts from: the view of the log, if edits make one. */
export function baseOf(of: Held): readonly NeutralMessage[] {
  return of.log && isEdited(of) ? of.log.neutral() : of.reading.messages;
}

/** Returns the ids of pinned messages. */
export function pinsOf({ log }: Held): string[] {
  return log ? log.pins().flatMap(({ message }) => (message === undefined ? [] : [message])) : [];
}

/** Returns true if edits hide or change messages. */
export function isEdited({ log }: Held): boolean {
  return log?.edits().some(({ revokedBy }) => !revokedBy) ?? false;
}
