/** Reopens a conversation from its stored files, in whatever state they are. */

import { readConversation } from "../formats/index.ts";
import { RULES } from "../formats/table.ts";
import { EspalierError } from "../errors/errors.ts";
import type { LogOptions, LogReport } from "../log/types.ts";
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
  /**
   * Number of lines of {@link LOG} and of {@link MESSAGES} that are stored correctly; otherwise they are written anew.
   */
  isStored: boolean;
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
      isStored: !storage || !isUnreadable,
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

async function read<T>(text: string, { saving, storage, given }: Source<T>): Promise<Found<T>> {
  const header = headerOf(text);
  const format =
    given.format ?? header?.format ?? (given.messages ? readConversation(given.messages, {}).format : "espalier");
  const beside = given.messages ? undefined : await ownMessages(saving, storage, format);
  let made = 0;
  const again = (message: NeutralMessage) => {
    // Neutral messages are stored in the log alone.
    if (format !== "espalier") made += 1;
    return toHostMessage(message, format) as T;
  };
  const options = { ...given.counting, format };
  const salvage = format === "espalier";
  const imported = () => {
    if (!given.messages)
      return ConversationLog.reopen<T>(text, options, salvage, {
        messages: (beside?.messages ?? []) as readonly T[],
        again,
      });
    return ConversationLog.import<T>(text, { ...options, messages: ownOf(given.messages), exact: true, salvage });
  };
  const done = (found: ReturnType<typeof imported>, isForeign: boolean) => ({
    ...found,
    text,
    header,
    beside,
    isForeign,
    made,
    isSound: found.report.problems.length === 0 && made === 0,
  });
  try {
    return done(imported(), false);
  } catch (error) {
    // The host's own messages must be valid; those stored beside the log may have been changed, and the log has all of
    // them.
    if (given.messages || !(error instanceof EspalierError) || error.code !== "bad_message") throw error;
    return done(ConversationLog.reopen<T>(text, options, salvage, { messages: [], again }), true);
  }
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
  const own = given.messages ?? beside?.messages;
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
  // Messages that the host has and the log lacks: the last ones, which were not stored any more.
  const count = log.originals;
  if (isWhole && given.messages && given.messages.length > count) log.append(given.messages.slice(count));
  const messagesStored = made > 0 || !isWhole || !beside ? undefined : Math.min(beside.messages.length, count);
  return { log, header, report, isStored: isWhole && isStored, messagesStored, isUnreadable: isUnreadable || !isKept };
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
      .map((message) => toHostMessage(message, log.format));
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
  return { text, messages, isOdd: messages.length < lines.length - 1 };
}

/** Returns the message in the host's format, with the content of the neutral form. */
function toHostMessage(message: NeutralMessage, format: Format): unknown {
  if (format === "espalier") return message;
  const made = readConversation([], { format }).rebuild([{ type: "insert", message }]) as unknown[];
  if (made.length === 1) return made[0];
  throw new EspalierError({
    code: "bad_log",
    message: `message ${message.id} cannot be made again in the format ${format}; pass the conversation's messages as options.messages`,
    path: "options.messages",
  });
}
