/** Reopens a conversation from its stored files, in whatever state they are. */

import { readConversation } from "../formats/index.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import type { LogOptions, LogReport } from "../log/types.ts";
import { attachStored } from "../log/attach.ts";
import type { Attached } from "../log/attach.ts";
import { beforeMessage } from "../log/lines.ts";
import { ConversationLog } from "../log/log.ts";
import type { Format, NeutralMessage } from "../types/messages.ts";
import type { Saving } from "./saving.ts";
import type { ConversationStorage } from "./storage.ts";
import { besideOf, formatOf, lateLines, repeatedFrom } from "./stored-messages.ts";
import type { Beside } from "./stored-messages.ts";
import type { ConversationWarning } from "./types.ts";

/** The log, and the host's own messages as JSON, one a line, in the order of the log's. */
export const LOG = "log.jsonl";
export const MESSAGES = "messages.jsonl";

const NONE = { log: 0, messages: 0 };
/** A log that another conversation has written beside {@link LOG}, see `Saving`. */
const SIDE_LOG = /^log-\w+\.jsonl$/;

/** The content of a log's first note. */
export interface Header {
  format: Format;
  entropy: string | number;
  /** Number of messages that the conversation began with: only these may be a record of another system. */
  opened: number;
  /** Id of the message that a session file declares to be such a record. */
  earlier?: string;
}

export interface Kept<T> {
  log: ConversationLog<T>;
  header: Header | undefined;
  report?: LogReport;
  /** Number of lines of {@link LOG} and of {@link MESSAGES} that are stored; `undefined`: they are written anew. */
  logStored: number | undefined;
  messagesStored: number | undefined;
  /** Numbers of lines that the storage had, or that were restored from it. */
  read: { log: number; messages: number };
  /** Names of logs beside this one. */
  sideLogs: string[];
  /** True if the storage must be read before it is written to, because its content is unknown. */
  isUnreadable: boolean;
}

/** Reads the header from the text alone: the format must be known before the log is read. */
function headerOf(text: string): Header | undefined {
  const line = /^\{"seq":0,.*$/m.exec(text.slice(0, 10_000))?.[0];
  if (line === undefined || !line.includes('"type":"note"')) return undefined;
  try {
    const { format, entropy, opened } = JSON.parse((JSON.parse(line) as { json: string }).json) as Header;
    return typeof format === "string" ? { format, entropy, opened } : undefined;
  } catch {
    return undefined;
  }
}

/** The host's options for opening, and how to count its messages. */
export interface Given<T> {
  text: string | undefined;
  messages: readonly T[] | undefined;
  format: Format | undefined;
  counting: Omit<LogOptions, "format">;
  /** Begins an empty log with its header. */
  begin: (log: ConversationLog<T>) => void;
}
export type Warn = (warning: Omit<ConversationWarning, "type">) => void;

/** Reads the stored log; makes a new one if there is none. */
export async function reopen<T>(
  saving: Saving,
  storage: ConversationStorage | undefined,
  given: Given<T>,
  warn: Warn,
): Promise<Kept<T>> {
  const stored = storage && (await saving.claim()) ? await saving.text(LOG) : undefined;
  const own = stored?.value === "" ? undefined : stored?.value;
  // Messages without a log are a conversation whose log was lost, for example when the power failed.
  const beside = storage && stored && own === undefined && given.format !== "espalier" && (await saving.text(MESSAGES));
  const isUnreadable = storage !== undefined && (stored === undefined || (own === undefined && beside === undefined));
  const isGone = beside !== undefined && beside !== false && !isBlank(beside.value);
  const text = own ?? given.text ?? (isGone ? "" : undefined);
  if (text === undefined) {
    const format = given.format ?? detected(given.messages);
    if (format === undefined) throw formatNeeded("for a conversation without messages");
    const log = new ConversationLog<T>({ ...given.counting, format });
    given.begin(log);
    return { log, header: undefined, logStored: 0, messagesStored: 0, read: NONE, sideLogs: [], isUnreadable };
  }
  const isStored = own !== undefined || text === "";
  const known = { saving, storage, given, warn, isStored, isUnreadable };
  const first = await read(text, known);
  if (!isStored || first.isSound) return finishReading(first, known);
  // A second read may succeed after a bad first one: the text is read again before anything overwrites it.
  const again = (await saving.attempt("read", LOG, () => storage!.read(LOG)))?.value;
  if (typeof again !== "string" || again === "") return finishReading(first, known);
  first.log.close();
  return finishReading(await read(again, known), known);
}

/** Returns the format of messages; an empty list has none, and the next messages may be of any. */
function detected(messages: readonly unknown[] | undefined): Format | undefined {
  return messages?.length ? readConversation(messages).format : undefined;
}

/** The input of reading a log. `isStored`: the text comes from the storage. */
interface Source<T> {
  saving: Saving;
  storage: ConversationStorage | undefined;
  given: Given<T>;
  warn: Warn;
  isStored: boolean;
  isUnreadable: boolean;
}

interface Found<T> {
  text: string;
  log: ConversationLog<T>;
  report: LogReport;
  header: Header | undefined;
  beside: Beside | undefined;
  /** Messages that the log lacks: the last ones, which were not stored any more. */
  later: readonly unknown[];
  /** Number of messages that had to be recreated. */
  made: number;
  /** Number of lines of the messages that are not what the log has there. */
  odd: number;
  /** True if both files are as they were written. */
  isSound: boolean;
}

type Read<T> = Pick<Found<T>, "log" | "report" | "later" | "made" | "odd">;

async function read<T>(text: string, { saving, storage, given }: Source<T>): Promise<Found<T>> {
  const header = headerOf(text);
  if (given.format !== undefined && header !== undefined && given.format !== header.format)
    throw badOption("format", `${header.format}, the format of the stored conversation`, given.format);
  let format = given.format ?? header?.format;
  // Messages that the host passes take the place of stored ones.
  const isRead = storage && format !== "espalier" && (!given.messages || text === "");
  const held = isRead ? (await saving.text(MESSAGES))?.value : undefined;
  format ??= detected(given.messages) ?? formatOf(held ?? "");
  if (format === undefined && text === "") throw formatNeeded(`because ${LOG} is empty`);
  format ??= "espalier";
  const beside = held === undefined || format === "espalier" ? undefined : besideOf(held, format);
  const found = given.messages
    ? readWith(text, given.messages, given, format)
    : readBeside<T>(text, beside, given, format);
  if (text === "")
    found.report.problems.push({ line: 1, kind: "missing", message: `${LOG} is empty, although ${MESSAGES} is not` });
  const isSound = found.report.problems.length === 0 && found.made === 0 && found.odd === 0;
  return { ...found, text, header, beside, isSound };
}

/** Reads the log of messages that the host passes. */
function readWith<T>(text: string, list: readonly T[], { counting }: Given<T>, format: Format): Read<T> {
  const options = { ...counting, format, messages: ownOf(list), exact: true, salvage: format === "espalier" };
  const found = ConversationLog.import<T>(text, options);
  return { ...found, later: list.slice(found.log.originals), made: 0, odd: 0 };
}

/** Reads the log of messages that are stored beside it, as far as they are the log's. */
function readBeside<T>(text: string, beside: Beside | undefined, { counting }: Given<T>, format: Format): Read<T> {
  const messages = (beside?.messages ?? []) as readonly (T | undefined)[];
  const stored = { format, messages, again: (message: NeutralMessage) => toHostMessage(message, format) as T };
  const isNeutral = format === "espalier";
  try {
    const log = new ConversationLog<T>({ ...counting, format });
    const attached: Attached[] = [];
    const report = log.state.read(text, isNeutral, (state) => attached.push(attachStored(state, stored)));
    const { made, later, odd } = attached[0]!;
    const late = log.records("note").flatMap(({ data }) => lateLines(data) ?? []);
    const repeated = repeatedFrom(beside?.lines ?? [], later[0] ?? 0, late);
    const rest = later.filter((index) => !repeated.has(index));
    return {
      log,
      report,
      later: rest.map((index) => messages[index]),
      // Neutral messages are stored in the log alone.
      made: isNeutral ? 0 : made,
      odd: odd + (later.length - rest.length) + (beside?.odd ?? 0),
    };
  } catch (error) {
    const at = otherMessage(error);
    if (at === undefined) throw error;
    // Not every message can be made again: thoughts have signatures that only the host's message has.
    const { before, line, after } = beforeMessage(text, at);
    const found = readBeside<T>(before, beside, { counting } as Given<T>, format);
    const message = `message m${at} is not stored, and cannot be made again as it was`;
    const { problems, left } = found.report;
    const problem = { line, kind: "refused" as const, message };
    return { ...found, report: { ...found.report, problems: [...problems, problem], left: left + after } };
  }
}

/** Returns the number of the message that is not the log's, if an error says that. */
function otherMessage(error: unknown): number | undefined {
  if (!(error instanceof EspalierError) || error.code !== "bad_message") return undefined;
  const number = /^options\.messages\[(\d+)\]$/.exec(error.path ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Returns the host's messages that the log has; later ones are added afterwards. */
function ownOf<T>(messages: readonly T[]): (known: readonly NeutralMessage[]) => readonly T[] {
  return (known) => {
    if (messages.length >= known.length) return messages.slice(0, known.length);
    throw new EspalierError({
      code: "bad_message",
      message: `options.messages must be all ${known.length} messages of the log, and are ${messages.length}`,
      path: "options.messages",
    });
  };
}

/** Sets unusable lines aside, and reports them. */
async function finishReading<T>(
  { text, log, report, header, beside, later, made, odd }: Found<T>,
  { saving, storage, given, warn, isStored, isUnreadable }: Source<T>,
): Promise<Kept<T>> {
  if (log.length === 0) given.begin(log);
  const lengths = () => (isStored && !isUnreadable ? { log: log.length, messages: log.originals } : NONE);
  // Messages that the host passes are its own, also where the storage lacks them.
  const own = given.messages && lengths();
  const listed = storage && isStored ? await saving.attempt("list", "log-", () => storage.list("log-")) : undefined;
  const sideLogs = listed && Array.isArray(listed.value) ? listed.value.filter((name) => SIDE_LOG.test(name)) : [];
  const isWhole = report.problems.length === 0;
  const again = isWhole || log.format === "espalier" ? report.salvaged.length : addAgain(log, text, later);
  const canWrite = storage !== undefined && !isUnreadable;
  let isKept = isWhole;
  if (!isWhole) {
    // A truncated last line was never confirmed as stored; everything else is set aside before the log is written anew.
    const isCut = text === "" || report.problems.every(({ kind }) => kind === "cut");
    const aside = isCut || !canWrite ? undefined : await saving.aside(text);
    isKept = isCut || !canWrite || aside !== undefined;
    const [first] = report.problems;
    warn({
      code: "bad_log",
      details: report,
      message:
        `${first ? `line ${first.line}: ${first.message}` : "lines were missing"}; ${report.left} lines could not be used, ${again} messages were added again` +
        (isCut || !storage
          ? ""
          : isKept
            ? `; the log as it was is kept as ${aside}`
            : "; it could not be kept aside, so nothing is written"),
    });
  }
  // The host's own messages may contain more than the log does.
  if (beside && (odd > 0 || (given.messages && text === ""))) {
    const aside = canWrite ? await saving.aside(beside.text) : undefined;
    if (canWrite && aside === undefined) isKept = false;
    warn({
      code: "bad_log",
      message:
        `${odd} lines of ${MESSAGES} are not what ${LOG} has there; ${made} messages are made again from the log` +
        (aside === undefined ? "" : `, and the file as it was is kept as ${aside}`),
    });
  }
  const logStored = isWhole && isStored ? log.length : undefined;
  if (isWhole && later.length > 0) log.append(later as T[]);
  const messagesStored = made === 0 && odd === 0 && isWhole && beside?.isExact ? log.originals : undefined;
  const read = own ?? lengths();
  return { log, header, report, logStored, messagesStored, read, sideLogs, isUnreadable: isUnreadable || !isKept };
}

/**
 * Adds messages after the first unusable line. Formats other than the neutral one number messages by their place, so a
 * log cannot have a gap: from there on the host's own messages are added, or those in later lines of the log.
 */
function addAgain<T>(log: ConversationLog<T>, text: string, later: readonly unknown[]): number {
  let rest = later;
  if (rest.length === 0) {
    const known = new Set(Array.from({ length: log.originals }, (_, number) => `m${number}`));
    const { log: neutral } = ConversationLog.import(text, { salvage: true });
    rest = neutral
      .originalsFrom(0)
      .filter(({ id }) => !known.has(id))
      .map((message) => toHostMessage(message, log.format))
      .filter((message) => message !== undefined);
    neutral.close();
  }
  log.append(rest as T[]);
  return rest.length;
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

function formatNeeded(why: string): EspalierError {
  const path = "options.format";
  return new EspalierError({ code: "bad_option", message: `${path} is needed ${why}`, path });
}

/** Returns the message in the host's format; nothing if the format cannot have it without the host's own. */
function toHostMessage(message: NeutralMessage, format: Format): unknown {
  if (format === "espalier") return message;
  const made = readConversation([], { format }).rebuild([{ type: "insert", message }]) as unknown[];
  return made.length === 1 ? made[0] : undefined;
}
