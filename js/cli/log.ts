/**
 * `espalier compact --log FILE`: records compactions as edits of a log beside the messages, so that they can be undone
 * and content can be pinned.
 */

import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { ConversationLog } from "../entries/log.ts";
import { compact, EspalierError } from "../entries/verbs.ts";
import type { LogCompactOptions, LogOptions } from "../log/types.ts";
import type { CompactReport, CompactStatus } from "../types/compact-report.ts";
import type { Format } from "../types/messages.ts";
import { sourceOf } from "./source.ts";
import { readUtf8 } from "./text.ts";

export interface LoggedOptions {
  file: string;
  /** Steps before compacting, in this order. After `undo` and `redo` nothing is compacted. */
  undo?: boolean | undefined;
  redo?: boolean | undefined;
  /** Ids of messages. */
  unpin: readonly string[];
  pin: readonly string[];
  counting: Omit<LogOptions, "format"> & { format?: Format };
  /** Undefined: only the steps above are taken. */
  compact: LogCompactOptions | undefined;
  /** Max tokens of the result; the excess is left out of the output only. */
  budget: number | undefined;
}

export interface Logged {
  status: CompactStatus | "undone" | "nothing_to_undo" | "redone" | "nothing_to_redo" | "pinned" | "unpinned";
  /** In the shape of the input. */
  messages: unknown;
  edits: string[];
  report?: CompactReport;
}

/** Carries out the request and appends it to the file. The messages may have grown since the log was written. */
export async function runOnLog(
  input: unknown,
  { file, undo, redo, pin, unpin, counting, compact: how, budget }: LoggedOptions,
): Promise<Logged> {
  const { list, name, format, put } = sourceOf(input, counting.format);
  const { format: _, ...rest } = counting;
  let log: ConversationLog<unknown>;
  let written = 0;
  if (existsSync(file)) {
    const text = readUtf8(file);
    const known = (count: number) => {
      if (count <= list.length) return list.slice(0, count);
      throw new EspalierError({
        code: "bad_message",
        message: `the log has ${count} messages, but ${name} has ${list.length}`,
        path: name,
      });
    };
    const { log: read, report } = ConversationLog.import<unknown>(text, {
      ...rest,
      format,
      messages: ({ length }) => known(length),
    });
    const [first] = report.problems;
    // The user must know about a damaged line before anything is appended after it.
    if (first && first.kind !== "cut")
      throw new EspalierError({ code: "bad_log", message: `${file}, line ${first.line}: ${first.message}` });
    log = read;
    if (first) writeFileSync(file, log.export());
    written = log.length;
  } else {
    if (undo || redo || unpin.length > 0)
      throw new EspalierError({
        code: "file_not_found",
        message: `${file} does not exist, so there is nothing to undo or redo`,
      });
    log = new ConversationLog<unknown>({ ...rest, format });
  }
  if (list.length > log.originals) log.append(list.slice(log.originals));
  const held = new Map(log.pins().map(({ id, message }) => [message, id]));
  for (const message of unpin) {
    const id = held.get(message);
    if (id === undefined)
      throw new EspalierError({ code: "unknown_id", message: `${JSON.stringify(message)} is not pinned` });
    log.unpin(id);
  }
  for (const message of pin) if (!held.has(message)) log.pin({ message, reason: "requested on the command line" });
  let outcome: Pick<Logged, "status" | "edits" | "report">;
  if (undo || redo) {
    const id = undo ? log.undo() : log.redo();
    outcome = {
      status: id === undefined ? (undo ? "nothing_to_undo" : "nothing_to_redo") : undo ? "undone" : "redone",
      edits: id === undefined ? [] : [id],
    };
  } else if (how) {
    const { status, ids, report } = await log.compact({ ...how, trigger: "manual" });
    outcome = { status, edits: ids, report };
  } else {
    outcome = { status: pin.length > 0 ? "pinned" : "unpinned", edits: [] };
  }
  // A conversation may hold secrets: others of the machine must not read a new log.
  appendFileSync(file, log.export(written), { mode: 0o600 });
  const { messages, after } = log.view();
  // The log does not record edits for one request: dropped rounds, a shortened newest request.
  const fitting =
    budget !== undefined && after.total > budget
      ? (await compact(messages, { ...rest, format, budget, ladder: ["fit"] })).messages
      : messages;
  return { ...outcome, messages: put(fitting) };
}
