/** `espalier log FILE`: the history of a conversation, and the content that its edits hide. */

import { ConversationLog } from "../entries/log.ts";
import { EspalierError } from "../entries/verbs.ts";
import type { LogOptions } from "../log/types.ts";
import { readSession } from "../sessions/index.ts";
import type { ReadSessionOptions, Session, SessionView } from "../sessions/index.ts";
import { describeEntry } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { parseInput } from "./input.ts";
import { number } from "./report.ts";
import { sessionLog } from "./shown-session.ts";
import { sourceOf } from "./source.ts";
import { readText } from "./text.ts";

/** Shows the history of a conversation, from a session file or from a log of ours. */
export async function showHistory(
  file: string,
  opening: ReadSessionOptions,
  { view, ...options }: Parameters<typeof showLog>[2] & { view?: SessionView | undefined },
): Promise<string> {
  const text = readText(file);
  let session: Session | undefined;
  try {
    session = readSession(text, { ...opening, name: file });
  } catch (error) {
    // Our own log is not a session of another tool, and a damaged one need not be JSON.
    if (
      !(error instanceof EspalierError) ||
      !["unknown_session", "bad_json"].includes(error.code) ||
      Object.keys(opening).length > 0
    )
      throw error;
  }
  if (!session) return showLog(file, text, options);
  return options.recall === undefined ? sessionLog(session) : recalled(session, options.recall, view);
}

/**
 * Returns messages of a session as JSON, by the ids that the other commands show: `m17`, or `m3..m9`. Those of the live
 * view differ from those of the history if its tool has compacted the session.
 */
function recalled({ messages, history }: Session, id: string, view: SessionView = "live"): string {
  const shown = view === "live" ? messages : history;
  const [first, last = first] = id.split("..").map((end) => (/^m\d+$/.test(end) ? Number(end.slice(1)) : NaN));
  if (first === undefined || last === undefined || !(first <= last && last < shown.length))
    throw noMessage(id, view, shown.length);
  const live = new Set(messages);
  const found = shown.slice(first, last + 1);
  return JSON.stringify(
    found.map((message) => ({ message, place: live.has(message) ? "shown" : "covered", by: [] })),
    null,
    2,
  );
}

function noMessage(id: string, view: SessionView, length: number): EspalierError {
  const ids = length === 0 ? "none" : `m0 to m${length - 1}`;
  const message = `${JSON.stringify(id)} is no message of the ${view} view, which has ${ids}; --view chooses the view`;
  return new EspalierError({ code: "unknown_id", message, path: "--recall" });
}

/** Returns whether a text is a list of messages or a request. */
function isConversation(text: string, file: string): boolean {
  try {
    sourceOf(parseInput(text, file), undefined);
    return true;
  } catch {
    return false;
  }
}

/**
 * Describes the log's entries, with consecutive messages in one line; with `recall` returns the originals of an id, as
 * JSON.
 */
function showLog(
  file: string,
  text: string,
  { recall, ...counting }: { recall?: string | undefined } & Pick<LogOptions, "encoding" | "model" | "costModel">,
): string {
  const {
    log,
    report: {
      problems: [problem],
    },
  } = ConversationLog.import(text, counting);
  if (problem) {
    const message =
      problem.line === 1 && isConversation(text, file)
        ? `${file} is a conversation, not a log. \`espalier compact ${file} --budget N --log LOG\` makes one.`
        : `${file}, line ${problem.line}: ${problem.message}`;
    throw new EspalierError({ code: "bad_log", message });
  }
  if (recall !== undefined)
    return JSON.stringify(
      log.recall(recall).map(({ message, place, by }) => ({ message, place, by })),
      null,
      2,
    );
  const entries = log
    .export()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
  const sizes = new Map(
    log
      .edits()
      .map(({ id, rule, author, tokensBefore, tokensAfter, revokedBy }) => [
        id,
        ` (${rule}) by ${author}, ${number(tokensBefore)} -> ${number(tokensAfter)} ` +
          `tokens${revokedBy ? `, undone by ${revokedBy}` : ""}`,
      ]),
  );
  const lines: string[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    const first = at;
    while (entry.message && entries[at + 1]?.message) at += 1;
    const what = first === at ? describeEntry(entry) : `messages ${entry.message!.id} to ${entries[at]!.message!.id}`;
    const id = `e${entry.seq}`;
    lines.push(`${new Date(entry.time).toISOString()}  ${id.padEnd(7)}${what}${sizes.get(id) ?? ""}`);
  }
  const { total } = log.totals();
  const pins = log.pins().map(({ message, fact, text: words }) => message ?? fact ?? words ?? "");
  lines.push(
    `${number(log.originals)} messages; ${number(log.view().messages.length)} are sent, ${number(total)} ` +
      `tokens${pins.length > 0 ? `; pinned: ${pins.join(", ")}` : ""}`,
  );
  return lines.join("\n");
}
