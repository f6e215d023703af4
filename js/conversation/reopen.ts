/** A conversation from what was kept of it, however that was left. */

import { fromStored, readConversation } from "../adapters/index.ts";
import { EspalierError } from "../errors.ts";
import type { LogOptions, LogReport } from "../log-types.ts";
import { ConversationLog } from "../log.ts";
import type { Format, NeutralMessage } from "../types.ts";
import type { Saving } from "./saving.ts";
import type { ConversationStorage } from "./storage.ts";
import type { ConversationWarning } from "./types.ts";

/** The log, and the host's own messages as JSON, one a line, in the order of the log's. */
export const LOG = "log.jsonl";
export const MESSAGES = "messages.jsonl";

/** What the first note of a log says. */
export interface Header {
  format: Format;
  entropy: string | number;
}

export interface Kept<T> {
  log: ConversationLog<T>;
  header: Header | undefined;
  report?: LogReport;
  /** Lines of {@link LOG} and of {@link MESSAGES} that are stored as they must be; otherwise they are written anew. */
  isStored: boolean;
  messagesStored: number | undefined;
  /** The storage must not be written to: nobody knows what it holds. */
  isUnreadable: boolean;
}

/** The header, from the text alone: the format has to be known before the log is read. */
function headerOf(text: string): Header | undefined {
  const line = /^\{"seq":0,.*$/m.exec(text.slice(0, 10_000))?.[0];
  if (line === undefined || !line.includes('"type":"note"')) return undefined;
  try {
    const { format, entropy } = JSON.parse((JSON.parse(line) as { json: string }).json) as Header;
    return typeof format === "string" ? { format, entropy } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads what there is; makes a log if there is none. */
export async function reopen<T>(
  saving: Saving, storage: ConversationStorage | undefined, given: { text: string | undefined; messages: readonly T[] | undefined; format: Format | undefined },
  counting: Omit<LogOptions, "format">, warn: (warning: Omit<ConversationWarning, "type">) => void,
): Promise<Kept<T>> {
  const stored = storage && (await saving.claim()) ? await saving.attempt("read", LOG, () => storage.read(LOG)) : undefined;
  const isUnreadable = storage !== undefined && (stored === undefined || (stored.value !== undefined && stored.value !== null && typeof stored.value !== "string"));
  const text = (typeof stored?.value === "string" && stored.value !== "" ? stored.value : undefined) ?? given.text;
  const header = text === undefined ? undefined : headerOf(text);
  const format = given.format ?? header?.format ?? (given.messages ? readConversation(given.messages, {}).format : undefined);
  if (text === undefined) {
    if (format === undefined) throw new EspalierError({ code: "bad_option", message: "options.format is needed for a conversation without messages", path: "options.format" });
    return { log: new ConversationLog<T>({ ...counting, format }), header, isStored: !storage || !isUnreadable, messagesStored: 0, isUnreadable };
  }
  const own = given.messages ? undefined : await ownMessages(saving, storage, format ?? "espalier");
  let made = 0;
  const hosts = (known: readonly NeutralMessage[]): readonly T[] => known.map((message, at) => {
    if (given.messages && at >= given.messages.length) {
      throw new EspalierError({ code: "bad_message", message: `options.messages must be all ${known.length} messages of the log, and are ${given.messages.length}`, path: "options.messages" });
    }
    const from = given.messages ?? own;
    if (from && at < from.length) return from[at] as T;
    made += 1;
    return written(message, format ?? "espalier") as T;
  });
  const read = (messages: typeof hosts) =>
    ConversationLog.import<T>(text, { ...counting, format: format ?? "espalier", messages, exact: given.messages !== undefined, salvage: format === "espalier" });
  let found: ReturnType<typeof read>;
  try {
    found = read(hosts);
  } catch (error) {
    // What the host passes must be right; what was stored beside the log may have been changed, and the log has it all.
    if (given.messages || !(error instanceof EspalierError) || error.code !== "bad_message") throw error;
    warn({ code: "bad_log", message: `${MESSAGES} does not belong to ${LOG}; its messages are made again from the log` });
    made = 1;
    found = read((known) => known.map((message) => written(message, format ?? "espalier") as T));
  }
  const { log, report } = found;
  const isWhole = report.problems.length === 0;
  const again = isWhole || format === "espalier" ? report.salvaged.length : addAgain(log, text, given.messages ?? own);
  let isKept = isWhole;
  if (!isWhole) {
    // A last line that was cut was never promised to anybody; everything else is put aside before the log is written anew.
    const isCut = report.problems.every(({ kind }) => kind === "cut");
    const aside = isCut || !storage || isUnreadable ? undefined : await saving.aside(text);
    isKept = isCut || !storage || isUnreadable || aside !== undefined;
    const [first] = report.problems;
    warn({
      code: "bad_log", details: report,
      message: `${first ? `line ${first.line}: ${first.message}` : "lines were missing"}; ${report.left} lines could not be used, ${again} messages were added again` +
        (isCut || !storage ? "" : isKept ? `; the log as it was is kept as ${aside}` : "; it could not be kept aside, so nothing is written"),
    });
  }
  // Messages that the host has and the log does not: the last ones, that were not written down any more.
  const count = log.originals;
  if (isWhole && given.messages && given.messages.length > count) log.append(given.messages.slice(count));
  const isStored = isWhole && typeof stored?.value === "string" && stored.value === text;
  return { log, header, report, isStored, messagesStored: made > 0 || !isWhole || !own ? undefined : Math.min(own.length, count), isUnreadable: isUnreadable || !isKept };
}

/**
 * Adds messages from behind the first line that could not be used. Formats other than the neutral one number messages by their place, so
 * that a log cannot have a gap: the host's own are added from there on, or what the log's later lines say of them.
 */
function addAgain<T>(log: ConversationLog<T>, text: string, own: readonly unknown[] | undefined): number {
  const count = log.originals;
  let rest = own?.slice(count) ?? [];
  if (rest.length === 0) {
    const known = new Set(Array.from({ length: count }, (_, number) => `m${number}`));
    const { log: neutral } = ConversationLog.import(text, { salvage: true });
    rest = neutral.originalsFrom(0).filter(({ id }) => !known.has(id)).map((message) => written(message, log.format));
    neutral.close();
  }
  log.append(rest as T[]);
  return rest.length;
}

/** The host's messages as they were stored, up to the first line that is none. */
async function ownMessages(saving: Saving, storage: ConversationStorage | undefined, format: Format): Promise<unknown[] | undefined> {
  if (!storage || format === "espalier") return undefined;
  const text = (await saving.attempt("read", MESSAGES, () => storage.read(MESSAGES)))?.value;
  if (typeof text !== "string") return undefined;
  const messages: unknown[] = [];
  for (const line of text.split("\n")) {
    try {
      const message: unknown = JSON.parse(line);
      messages.push(format === "vscode" ? fromStored(message) : message);
    } catch {
      break;
    }
  }
  return messages;
}

/** The message in the host's format, as far as the neutral form knows it. */
function written(message: NeutralMessage, format: Format): unknown {
  if (format === "espalier") return message;
  const made = readConversation([], { format }).rebuild([{ type: "insert", message }]) as unknown[];
  if (made.length === 1) return made[0];
  throw new EspalierError({
    code: "bad_log", message: `message ${message.id} cannot be made again in the format ${format}; pass the conversation's messages as options.messages`, path: "options.messages",
  });
}
