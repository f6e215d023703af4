/** The worker's side of sessions: opens an agent's file, and returns its facts. */

import "../js/entries/engines/core-web.ts";
import { readConversation } from "../js/formats/index.ts";
import { ConversationLog } from "../js/entries/log.ts";
import { EspalierError, countMessages } from "../js/entries/verbs.ts";
import type { ReadSessionOptions, Session } from "../js/sessions/types.ts";
import type { EncodingName } from "../js/types/count.ts";
import type { Format } from "../js/types/messages.ts";
import type { Progress, SessionFacts, UsageFacts, View } from "./protocol.ts";
import { peekOf, read, readers } from "./reading.ts";
import type { Readable, Readers } from "./reading.ts";
import { tell } from "./talk.ts";

/** A session, and the function that makes requests of it. */
export interface OpenSession {
  name: string;
  /** The number of the conversation, for a file with several. */
  conversation?: number | undefined;
  session: Session;
  sessionRequest: Readers["sessionRequest"];
}

/**
 * The open file: a session, or other content; `unknown` is the error if that is not a transcript either. `log`: the
 * lines of a saved log. `isShape`: filler takes the place of words.
 */
export type Open =
  | OpenSession
  | { name: string; input: unknown; unknown?: EspalierError; log?: string; isShape?: boolean };

/** The input of the engine. */
export interface Counted {
  input: unknown;
  options: { format?: Format };
}

/** Max sizes of the lists that are sent to the page. */
const MAX = { problems: 100, summary: 20_000, name: 60 };
/** Milliseconds between two progress messages; a screen reader speaks each of them. */
const NEWS_MS = 1_000;

/**
 * Opens a file as a session or, if no layout fits, as a list of messages or a request. The code that reads sessions is
 * loaded here, for the first file.
 *
 * @throws EspalierError those of `openSession`; for a file that is almost a transcript those of `readConversation`
 */
export async function openFile(source: Readable, conversation?: number): Promise<Open> {
  const { name } = source;
  if (!(source instanceof File)) return { name, input: await read(source) };
  const log = await savedLog(source);
  if (log) return log;
  const { openSession, sessionRequest } = await readers();
  try {
    const options: ReadSessionOptions = { name, ...(conversation !== undefined && { conversation }) };
    return { name, conversation, session: await openSession(pieces(source), options), sessionRequest };
  } catch (error) {
    if (!(error instanceof EspalierError) || error.code !== "unknown_session") throw error;
    const unknown = noTranscript(error);
    return { name, input: await parsed(source, unknown), unknown };
  }
}

/** Reads a log that this page saved: its lines hold the messages, and edits and pins over them. */
async function savedLog(file: File): Promise<Open | undefined> {
  const head = await file
    .slice(0, 200)
    .text()
    .catch(() => "");
  if (!/^\{"seq":0,"v":\d+,"time":\d+,"type":"message"/.test(head)) return undefined;
  const text = await file.text();
  const { log } = ConversationLog.import(text);
  const input = log.originalsFrom(0);
  log.close();
  return { name: file.name, input, log: text };
}

async function* pieces(file: File): AsyncGenerator<Uint8Array> {
  const { name, size } = file;
  const reader = file.stream().getReader();
  let last = Date.now();
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw unreadable(name, cause);
    });
    if (done) return;
    bytes += value.length;
    if (Date.now() - last >= NEWS_MS) {
      last = Date.now();
      tell({ name, bytes, size, isRead: false } satisfies Progress);
    }
    yield value;
  }
}

function unreadable(name: string, cause: unknown): EspalierError {
  const message = `${name} cannot be read: it is a folder, or has changed since it was chosen. Choose the file once more.`;
  return new EspalierError({ code: "file_not_found", message, cause });
}

function noTranscript({ code, message, path }: EspalierError & { code: "unknown_session" }): EspalierError {
  const others = "It is neither a list of messages nor a request of a provider.";
  return new EspalierError({ code, path, message: `${message} ${others}` });
}

/** Parses the JSON of a file that is not a session. */
async function parsed(file: File, unknown: EspalierError): Promise<unknown> {
  // The beginning shows whether it can be JSON; the rest may be long.
  if (!/^\s*[[{"]/.test(await file.slice(0, 1_000).text())) throw unknown;
  return read(file);
}

/** Returns the messages of a view, with the other parts of every request of the session. */
export function viewOf(open: Open, view: View): Counted {
  if ("input" in open) return { input: open.input, options: open.log || open.isShape ? { format: "espalier" } : {} };
  const { session, sessionRequest } = open;
  const options = { format: session.format };
  // A sub-agent has its own system prompt and tools.
  return {
    input: typeof view === "object" ? session.sideChains[view.side]?.messages : sessionRequest(session, view),
    options,
  };
}

/** Returns the view with which a file opens. */
export function firstView(open: Open): View {
  return "session" in open && open.session.messages.length === 0 ? "history" : "live";
}

export function factsOf(open: OpenSession, encoding: EncodingName): SessionFacts {
  const { session, conversation } = open;
  const { tool, evidence, title, model, version, cwd, window } = session;
  const { format, messages, history, compactions, sideChains, skipped, problems } = session;
  return {
    tool,
    evidence,
    title,
    model,
    version,
    cwd,
    window,
    conversation,
    skipped,
    live: messages.length,
    history: history.length,
    turns: session.turns,
    compactions: compactions.map(({ before, context, summary, tokensBefore, tokensAfter }) => {
      return { before, context: context.length, summary: summary?.slice(0, MAX.summary), tokensBefore, tokensAfter };
    }),
    sides: sideChains.map(({ kind, id, title, messages }) => ({
      kind,
      name: title ?? (beginning(messages, format) || id),
      messages: messages.length,
    })),
    problems: problems.slice(0, MAX.problems),
    broken: problems.length,
    usage: usageOf(open, encoding),
  };
}

/** Returns the first words of a side chain, which tell more than its id. */
function beginning([first]: readonly unknown[], format: Format): string {
  if (first === undefined) return "";
  return peekOf(readConversation([first], { format }).messages[0], MAX.name);
}

/** Counts the newest request: the live context before its answer. */
function usageOf({ session, sessionRequest }: OpenSession, encoding: EncodingName): UsageFacts | undefined {
  const { history, compactions, usage, system, tools } = session;
  const newest = usage.at(-1);
  if (!newest) return undefined;
  const compaction = compactions.findLast(({ before }) => before <= newest.answer);
  const messages = [...(compaction?.context ?? []), ...history.slice(compaction?.before ?? 0, newest.answer)];
  const { total, origin } = countMessages(sessionRequest({ ...session, messages }), {
    format: session.format,
    encoding,
  });
  const missing: UsageFacts["missing"] = [];
  if (system === undefined && !hasSystem(messages)) missing.push("the system prompt");
  if (tools === undefined) missing.push("the tool definitions");
  const {
    usage: { promptTotal, cacheRead },
    model,
  } = newest;
  return {
    recorded: promptTotal,
    cached: cacheRead,
    model,
    counted: total,
    origin,
    messages: messages.length,
    missing,
  };
}

function hasSystem([first]: readonly unknown[]): boolean {
  const role = (first as { role?: unknown } | undefined)?.role;
  return role === "system" || role === "developer" || role === 0;
}
