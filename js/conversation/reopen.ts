/** Reopens a conversation from its stored files, in whatever state they are. */

import { readConversation } from "../formats/index.ts";
import { RULES } from "../formats/table.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import type { LogOptions, LogReport } from "../log/types.ts";
import { attachStored } from "../log/attach.ts";
import { beforeMessage } from "../log/lines.ts";
import { ConversationLog } from "../log/log.ts";
import type { Format, NeutralMessage } from "../types/messages.ts";
import type { Saving } from "./saving.ts";
import type { ConversationStorage } from "./storage.ts";
import type { ConversationWarning } from "./types.ts";

/** The log, and the host's own messages as JSON, one a line, in the order of the log's. */
export const LOG = "log.jsonl";
export const MESSAGES = "messages.jsonl";

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
}
type Warn = (warning: Omit<ConversationWarning, "type">) => void;

/** Reads the stored log; makes a new one if there is none. */
export async function reopen<T>(
  saving: Saving,
  storage: ConversationStorage | undefined,
  given: Given<T>,
  warn: Warn,
): Promise<Kept<T>> {
  const stored = storage && (await saving.claim()) ? await saving.text(LOG) : undefined;
  const isUnreadable = storage !== undefined && stored === undefined;
  const own = stored?.value === "" ? undefined : stored?.value;
  const text = own ?? given.text;
  if (text === undefined) {
    const format = given.format ?? (given.messages ? readConversation(given.messages, {}).format : undefined);
    if (format === undefined)
      throw new EspalierError({
        code: "bad_option",
        message: "options.format is needed for a conversation without messages",
        path: "options.format",
      });
    return {
      log: new ConversationLog<T>({ ...given.counting, format }),
      header: undefined,
      logStored: 0,
      messagesStored: 0,
      isUnreadable,
    };
  }
  const known = { saving, storage, given, warn, isStored: own !== undefined, isUnreadable };
  const first = await read(text, known);
  if (own === undefined || first.isSound) return finishReading(first, known);
  // A second read may succeed after a bad first one: the text is read again before anything overwrites it.
  const again = (await saving.attempt("read", LOG, () => storage!.read(LOG)))?.value;
  if (typeof again !== "string" || again === "") return finishReading(first, known);
  first.log.close();
  return finishReading(await read(again, known), known);
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
  /** True if the messages beside the log are not those of the log. */
  isForeign: boolean;
  /** Number of messages that had to be recreated. */
  made: number;
  /** True if both files are as they were written. */
  isSound: boolean;
}

type Read<T> = Pick<Found<T>, "log" | "report" | "isForeign">;

async function read<T>(text: string, { saving, storage, given }: Source<T>): Promise<Found<T>> {
  const header = headerOf(text);
  if (given.format !== undefined && header !== undefined && given.format !== header.format)
    throw badOption("format", `${header.format}, the format of the stored conversation`, given.format);
  const format =
    given.format ?? header?.format ?? (given.messages ? readConversation(given.messages, {}).format : "espalier");
  const beside = given.messages ? undefined : await ownMessages(saving, storage, format);
  const options = { ...given.counting, format };
  const salvage = format === "espalier";
  const done = (found: Read<T>, made: number): Found<T> => ({
    ...found,
    text,
    header,
    beside,
    made,
    isSound: found.report.problems.length === 0 && made === 0,
  });
  if (given.messages) {
    const messages = ownOf(given.messages);
    const found = ConversationLog.import<T>(text, { ...options, messages, exact: true, salvage });
    return done({ ...found, isForeign: false }, 0);
  }
  let made = 0;
  const again = (message: NeutralMessage) => {
    // Neutral messages are stored in the log alone.
    if (format !== "espalier") made += 1;
    return toHostMessage(message, format) as T | undefined;
  };
  const reopened = (lines: string, messages: readonly unknown[], isForeign: boolean): Read<T> => {
    try {
      const stored = { messages: messages as readonly T[], again };
      const log = new ConversationLog<T>(options);
      return { log, report: log.state.read(lines, salvage, (state) => attachStored(state, stored)), isForeign };
    } catch (error) {
      const at = otherMessage(error);
      if (at === undefined) throw error;
      // The messages beside the log may be others; the log has all of them.
      if (at < messages.length) return reopened(lines, [], true);
      // Not every message can be made again: thoughts have signatures that only the host's message has.
      const { before, line, after } = beforeMessage(lines, at);
      const found = reopened(before, messages, isForeign);
      const message = `message m${at} is not stored, and cannot be made again as it was`;
      const { problems, left } = found.report;
      const problem = { line, kind: "refused" as const, message };
      return { ...found, report: { ...found.report, problems: [...problems, problem], left: left + after } };
    }
  };
  const found = reopened(text, beside?.messages ?? [], false);
  return done(found, made);
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
  { text, log, report, header, beside, isForeign, made }: Found<T>,
  { saving, storage, given, warn, isStored, isUnreadable }: Source<T>,
): Promise<Kept<T>> {
  const own = given.messages ?? (isForeign ? undefined : beside?.messages);
  const isWhole = report.problems.length === 0;
  const again = isWhole || log.format === "espalier" ? report.salvaged.length : addAgain(log, text, own);
  const canWrite = storage !== undefined && !isUnreadable;
  let isKept = isWhole;
  if (!isWhole) {
    // A truncated last line was never confirmed as stored; everything else is set aside before the log is written anew.
    const isCut = report.problems.every(({ kind }) => kind === "cut");
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
  if (beside && (isForeign || (made > 0 && beside.isOdd))) {
    const aside = canWrite ? await saving.aside(beside.text) : undefined;
    if (canWrite && aside === undefined) isKept = false;
    warn({
      code: "bad_log",
      message: `${MESSAGES} does not belong to ${LOG}; its messages are made again from the log${aside === undefined ? "" : `, and it is kept as ${aside}`}`,
    });
  }
  const logStored = isWhole && isStored ? log.length : undefined;
  const count = log.originals;
  // Messages that the host has and the log lacks: the last ones, which were not stored any more.
  const later = isWhole && made === 0 ? (own?.slice(count) ?? []) : [];
  if (later.length > 0) log.append(later as T[]);
  const messagesStored = made === 0 && isWhole && beside?.isExact ? log.originals : undefined;
  return { log, header, report, logStored, messagesStored, isUnreadable: isUnreadable || !isKept };
}

/**
 * Adds messages after the first unusable line. Formats other than the neutral one number messages by their place, so a
 * log cannot have a gap: from there on the host's own messages are added, or those in later lines of the log.
 */
function addAgain<T>(log: ConversationLog<T>, text: string, own: readonly unknown[] | undefined): number {
  const count = log.originals;
  let rest = own?.slice(count) ?? [];
  if (rest.length === 0) {
    const known = new Set(Array.from({ length: count }, (_, number) => `m${number}`));
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

/** The host's messages as they were stored, up to the first invalid line. */
interface Beside {
  /** The whole text. */
  text: string;
  messages: unknown[];
  /** True if a line before the last is invalid: more than a truncated write. */
  isOdd: boolean;
  /** True if each line is a message. */
  isExact: boolean;
}

async function ownMessages(
  saving: Saving,
  storage: ConversationStorage | undefined,
  format: Format,
): Promise<Beside | undefined> {
  if (!storage || format === "espalier") return undefined;
  const text = (await saving.text(MESSAGES))?.value;
  if (text === undefined) return undefined;
  const messages: unknown[] = [];
  const { stored } = RULES[format];
  const lines = text.split("\n");
  for (const line of lines) {
    try {
      const message: unknown = JSON.parse(line);
      messages.push(stored ? stored.from(message) : message);
    } catch {
      break;
    }
  }
  const whole = lines.length - 1;
  return { text, messages, isOdd: messages.length < whole, isExact: messages.length === whole };
}

/** Returns the message in the host's format; nothing if the format cannot have it without the host's own. */
function toHostMessage(message: NeutralMessage, format: Format): unknown {
  if (format === "espalier") return message;
  const made = readConversation([], { format }).rebuild([{ type: "insert", message }]) as unknown[];
  return made.length === 1 ? made[0] : undefined;
}
