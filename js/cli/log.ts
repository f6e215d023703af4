/** `espalier compact --log FILE`: compactions as edits of a log beside the messages, so that they can be undone. */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { ConversationLog, EspalierError, prune } from "../entries/node.ts";
import type { LogCompactOptions, LogOptions } from "../log-types.ts";
import type { CompactReport, CompactStatus, Format } from "../types.ts";
import { sourceOf } from "./source.ts";

export interface LoggedOptions {
  file: string;
  undo: boolean;
  counting: Omit<LogOptions, "format"> & { format?: Format };
  compact: LogCompactOptions | undefined;
  /** Tokens the result may have; what is over that is pruned for the output only. */
  budget: number | undefined;
}

export interface Logged {
  status: CompactStatus | "undone" | "nothing_to_undo";
  /** In the shape of the input. */
  messages: unknown;
  edits: string[];
  report?: CompactReport;
}

/** Carries out what was asked for and adds it to the file. The messages may have grown since the log was written. */
export async function logged(input: unknown, { file, undo, counting, compact, budget }: LoggedOptions): Promise<Logged> {
  const { list, name, format, put } = sourceOf(input, counting.format);
  const { format: _, ...rest } = counting;
  let log: ConversationLog<unknown>;
  let written = 0;
  if (existsSync(file)) {
    const text = readFileSync(file, "utf8");
    const known = (count: number) => {
      if (count <= list.length) return list.slice(0, count);
      throw new EspalierError({ code: "bad_message", message: `the log has ${count} messages, and ${name} ${list.length}`, path: name });
    };
    const { log: read, report } = ConversationLog.import<unknown>(text, { ...rest, format, messages: ({ length }) => known(length) });
    const [first] = report.problems;
    // Whoever keeps a log wants to know before anything is added behind a line that is damaged.
    if (first && first.kind !== "cut") throw new EspalierError({ code: "bad_log", message: `${file}, line ${first.line}: ${first.message}` });
    log = read;
    if (first) writeFileSync(file, log.export());
    written = log.length;
  } else {
    if (undo) throw new EspalierError({ code: "file_not_found", message: `${file} is not there, so there is nothing to undo` });
    log = new ConversationLog<unknown>({ ...rest, format });
  }
  if (list.length > log.originals) log.append(list.slice(log.originals));
  let outcome: Pick<Logged, "status" | "edits" | "report">;
  if (undo) {
    const id = log.undo();
    outcome = { status: id === undefined ? "nothing_to_undo" : "undone", edits: id === undefined ? [] : [id] };
  } else {
    const { status, ids, report } = await log.compact({ ...compact!, trigger: "manual" });
    outcome = { status, edits: ids, report };
  }
  appendFileSync(file, log.export(written));
  const { messages, after } = log.view();
  // What only one request needs is not in the log.
  const fitting = budget !== undefined && after.total > budget ? prune(messages, { ...rest, format, budget }).messages : messages;
  return { ...outcome, messages: put(fitting) };
}
