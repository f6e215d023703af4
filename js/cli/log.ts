/**
 * `espalier compact --log FILE`: records compactions as edits of a log beside the messages, so that they can be undone
 * and content can be pinned.
 */

import { existsSync } from "node:fs";
import { redo as redoOf, undo as undoOf } from "../conversation/undoing.ts";
import { ConversationLog } from "../entries/log.ts";
import { compact, EspalierError } from "../entries/verbs.ts";
import type { LogCompactOptions, LogOptions } from "../log/types.ts";
import type { CompactReport, CompactStatus } from "../types/compact-report.ts";
import type { Format } from "../types/messages.ts";
import type { Removal } from "../types/prune.ts";
import type { Written } from "./convert.ts";
import { EXIT } from "./exit.ts";
import { appendText, writeText } from "./files.ts";
import { finishText, finishWritten, jsonOf, tell } from "./out.ts";
import type { To } from "./out.ts";
import { shown, shownRemovals } from "./report.ts";
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
  /** Max tokens of the output of `undo` and `redo`, which the log does not change with; absent if it is not limited. */
  budget: number | undefined;
}

export interface Logged {
  status: CompactStatus | "undone" | "nothing_to_undo" | "redone" | "nothing_to_redo" | "pinned" | "unpinned";
  /** In the shape of the input. Without edits these are the messages of the input. */
  messages: unknown;
  edits: string[];
  report?: CompactReport;
  /** Repairs of a view under edits, so that no provider refuses it. */
  repaired: Removal[];
}

type Log = ConversationLog<unknown>;

/** Carries out the request and appends it to the file. The messages may have grown since the log was written. */
export async function runOnLog(
  input: unknown,
  { file, undo, redo, pin, unpin, counting, compact: how, budget }: LoggedOptions,
): Promise<Logged> {
  const { list, name, format, put } = sourceOf(input, counting.format);
  const { format: _, ...rest } = counting;
  const hasLog = existsSync(file);
  if (!hasLog && (undo || redo || unpin.length > 0))
    throw new EspalierError({
      code: "file_not_found",
      message: `${file} does not exist, so there is nothing to undo or redo`,
    });
  const { log, written } = hasLog
    ? readLog(file, { ...rest, format }, list, name)
    : { log: new ConversationLog<unknown>({ ...rest, format }), written: 0 };
  if (list.length > log.originals) log.append(list.slice(log.originals));
  changePins(log, pin, unpin);
  if (undo || redo) {
    const ids = undo ? undoOf(log, undefined) : redoOf(log, undefined);
    appendLog(file, log.export(written));
    const status = ids ? (undo ? "undone" : "redone") : undo ? "nothing_to_undo" : "nothing_to_redo";
    return { status, edits: ids ?? [], ...(await shownBy(log, budget, { ...rest, format }, put)) };
  }
  if (!how) {
    appendLog(file, log.export(written));
    const status = pin.length > 0 ? "pinned" : "unpinned";
    return { status, edits: [], ...(await shownBy(log, undefined, { ...rest, format }, put)) };
  }
  const { repaired: inView } = log.view();
  const done = await log.compactRequest({ ...how, trigger: "manual", planId: `compaction ${log.length}` });
  const { status, ids, report } = done;
  if (status === "cancelled") return { status, edits: [], messages: input, report, repaired: [] };
  appendLog(file, log.export(written));
  const messages = (status === "applied" ? done.messages : undefined) ?? log.view().messages;
  // Changes only what its provider would refuse, unless the messages could not be made from the plan.
  const fitted = await compact(messages, { ...rest, format, budget: how.budget, ladder: ["fit"] });
  const { after, removed } = fitted.report;
  const all = { ...report, after, removed: [...inView, ...report.removed, ...removed] };
  return { status, edits: ids, messages: put(fitted.messages), report: all, repaired: [] };
}

/** A conversation may hold secrets: others of the machine must not read a new log. */
function appendLog(file: string, lines: string): void {
  appendText(file, lines, 0o600);
}

/**
 * Reads a log and attaches the messages that it has.
 *
 * @throws EspalierError `bad_message` if it is the log of other messages, `bad_log` if a line is damaged
 */
function readLog(
  file: string,
  options: LogOptions,
  list: readonly unknown[],
  name: string,
): { log: Log; written: number } {
  const text = readUtf8(file);
  const refuse = (path: string, why: string, cause?: unknown) =>
    new EspalierError({
      code: "bad_message",
      message:
        `${why}. A log belongs to one conversation, whose messages may only be added to; name another file ` +
        "with --log",
      path,
      ...(cause !== undefined && { cause }),
    });
  const known = (count: number) => {
    if (count <= list.length) return list.slice(0, count);
    throw refuse(name, `${file} has ${count} messages, but ${name} has ${list.length}`);
  };
  let read: ReturnType<typeof ConversationLog.import<unknown>>;
  try {
    read = ConversationLog.import<unknown>(text, { ...options, messages: ({ length }) => known(length), exact: true });
  } catch (error) {
    const at = error instanceof EspalierError && error.code === "bad_message" && /\[(\d+)\]$/.exec(error.path ?? "");
    if (!at) throw error;
    const path = `${name}[${at[1]}]`;
    throw refuse(path, `${path} is not the message that ${file} has there`, error);
  }
  const { log, report } = read;
  const [first] = report.problems;
  // The user must know about a damaged line before anything is appended after it.
  if (first && first.kind !== "cut")
    throw new EspalierError({ code: "bad_log", message: `${file}, line ${first.line}: ${first.message}` });
  if (first) writeText(file, log.export());
  return { log, written: log.length };
}

function changePins(log: Log, pin: readonly string[], unpin: readonly string[]): void {
  const held = new Map(log.pins().map(({ id, message }) => [message, id]));
  for (const message of unpin) {
    const id = held.get(message);
    if (id === undefined)
      throw new EspalierError({ code: "unknown_id", message: `${JSON.stringify(message)} is not pinned` });
    log.unpin(id);
  }
  for (const message of pin) if (!held.has(message)) log.pin({ message, reason: "requested on the command line" });
}

/**
 * Returns the messages under the edits of the log, pruned to `budget` if there is one. Without edits they are the
 * caller's own, unrepaired.
 */
async function shownBy(
  log: Log,
  budget: number | undefined,
  counting: Omit<LogOptions, "now" | "search">,
  put: (messages: unknown) => unknown,
): Promise<Pick<Logged, "messages" | "report" | "repaired">> {
  const isEdited = log.edits().some(({ revokedBy }) => revokedBy === undefined);
  const { messages, repaired } = isEdited ? log.view() : { messages: originalsOf(log), repaired: [] };
  if (budget === undefined) return { messages: put(messages), repaired };
  const fitted = await compact(messages, { ...counting, budget, ladder: ["fit"] });
  return { messages: put(fitted.messages), report: fitted.report, repaired };
}

/** Returns the messages as they were added, without rewound ones. */
function originalsOf(log: Log): unknown[] {
  const ends = log.state.ends();
  if (!ends) return [];
  return log.recall(ends.join("..")).flatMap(({ place, message }) => (place === "rewound" ? [] : [message]));
}

/** Reports an interruption. Writes no output: a script that finds the file takes it for the result. */
export function cancelled(report: CompactReport, to: To): number {
  tell(`${shown(report)}\nnothing was written`, to);
  return EXIT.cancelled;
}

/** Returns the exit code for a status. */
export function codeOf(status: string): number {
  if (status === "cancelled") return EXIT.cancelled;
  return [
    "applied",
    "unchanged",
    "nothing_to_compact",
    "undone",
    "nothing_to_undo",
    "redone",
    "nothing_to_redo",
    "pinned",
    "unpinned",
  ].includes(status)
    ? EXIT.ok
    : EXIT.model;
}

/** Reports the outcome for a log: the messages that it shows, and a line about the change. */
export function keptLog(done: Logged, to: To, converted: ((messages: unknown) => Written) | undefined): number {
  const { json, quiet } = to;
  const { messages, ...facts } = done;
  const { status, edits, report, repaired } = facts;
  if (status === "cancelled" && report) return cancelled(report, { quiet });
  if (!json) {
    const outcome = `${status}${edits.length > 0 ? `: ${edits.join(", ")}` : ""}`;
    tell([...(report ? [shown(report)] : []), ...shownRemovals(repaired), outcome].join("\n"), { quiet });
  }
  if (converted) finishWritten(converted(messages), to, facts);
  else finishText(jsonOf(json ? done : messages), to);
  return codeOf(status);
}
