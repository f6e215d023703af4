/** A conversation from what was kept of it, however that was left. */

import { fromStored, readConversation } from "../formats/index.ts";
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

/** What the first note of a log says. */
export interface Header {
  format: Format;
  entropy: string | number;
  /** Number of messages that the conversation began with: only among those is a record of another system looked for. */
  opened: number;
  /** Id of the one that a session file says is such a record. */
  earlier?: string;
}

export interface Kept<T> {
  log: ConversationLog<T>;
  header: Header | undefined;
  report?: LogReport;
  /** Lines of {@link LOG} and of {@link MESSAGES} that are stored as they must be; otherwise they are written anew. */
  isStored: boolean;
  messagesStored: number | undefined;
  /** The storage must be read before it is written to: nobody knows what it holds. */
  isUnreadable: boolean;
}

/** The header, from the text alone: the format has to be known before the log is read. */
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

/** What a host opens with, and how its messages are counted. */
export interface Given<T> {
  text: string | undefined;
  messages: readonly T[] | undefined;
  format: Format | undefined;
  counting: Omit<LogOptions, "format">;
}
type Warn = (warning: Omit<ConversationWarning, "type">) => void;

/** Reads what there is; makes a log if there is none. */
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
  if (own === undefined || first.isSound) return finished(first, known);
  // What was read wrong once may be read right: nothing is written over it before it was looked at again.
  const again = (await saving.attempt("read", LOG, () => storage!.read(LOG)))?.value;
  if (typeof again !== "string" || again === "") return finished(first, known);
  first.log.close();
  return finished(await read(again, known), known);
}

/** What a log is read with. `isStored`: its text is what the storage gave. */
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
  /** The messages beside the log are not those of the log. */
  isForeign: boolean;
  /** Messages that had to be made again. */
  made: number;
  /** Both are as they were written. */
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
    return written(message, format) as T;
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
    // What the host passes must be right; what was stored beside the log may have been changed, and the log has it all.
    if (given.messages || !(error instanceof EspalierError) || error.code !== "bad_message") throw error;
    return done(ConversationLog.reopen<T>(text, options, salvage, { messages: [], again }), true);
  }
}

/** The host's messages that the log has: those behind them are added to it later. */
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

/** What had to go is put aside, and told of. */
async function finished<T>(
  { text, log, report, header, beside, isForeign, made }: Found<T>,
  { saving, storage, given, warn, isStored, isUnreadable }: Source<T>,
): Promise<Kept<T>> {
  const own = given.messages ?? beside?.messages;
  const isWhole = report.problems.length === 0;
  const again = isWhole || log.format === "espalier" ? report.salvaged.length : addAgain(log, text, own);
  const canWrite = storage !== undefined && !isUnreadable;
  let isKept = isWhole;
  if (!isWhole) {
    // A last line that was cut was never promised to anybody; everything else is put aside before the log is written
    // anew.
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
  // The host's own words may be more than the log has of them.
  if (beside && (isForeign || (made > 0 && beside.isOdd))) {
    const aside = canWrite ? await saving.aside(beside.text) : undefined;
    if (canWrite && aside === undefined) isKept = false;
    warn({
      code: "bad_log",
      message: `${MESSAGES} does not belong to ${LOG}; its messages are made again from the log${aside === undefined ? "" : `, and it is kept as ${aside}`}`,
    });
  }
  // Messages that the host has and the log does not: the last ones, that were not written down any more.
  const count = log.originals;
  if (isWhole && given.messages && given.messages.length > count) log.append(given.messages.slice(count));
  const messagesStored = made > 0 || !isWhole || !beside ? undefined : Math.min(beside.messages.length, count);
  return { log, header, report, isStored: isWhole && isStored, messagesStored, isUnreadable: isUnreadable || !isKept };
}

/**
 * Adds messages from behind the first line that could not be used. Formats other than the neutral one number messages
 * by their place, so that a log cannot have a gap: the host's own are added from there on, or what the log's later
 * lines say of them.
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
      .map((message) => written(message, log.format));
    neutral.close();
  }
  log.append(rest as T[]);
  return rest.length;
}

/** The host's messages as they were stored, up to the first line that is none. */
interface Beside {
  /** All of it. */
  text: string;
  messages: unknown[];
  /** A line before the last is none: more than a write that was cut. */
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
  const lines = text.split("\n");
  for (const line of lines) {
    try {
      const message: unknown = JSON.parse(line);
      messages.push(format === "vscode" ? fromStored(message) : message);
    } catch {
      break;
    }
  }
  return { text, messages, isOdd: messages.length < lines.length - 1 };
}

/** The message in the host's format, as far as the neutral form knows it. */
function written(message: NeutralMessage, format: Format): unknown {
  if (format === "espalier") return message;
  const made = readConversation([], { format }).rebuild([{ type: "insert", message }]) as unknown[];
  if (made.length === 1) return made[0];
  throw new EspalierError({
    code: "bad_log",
    message: `message ${message.id} cannot be made again in the format ${format}; pass the conversation's messages as options.messages`,
    path: "options.messages",
  });
}
