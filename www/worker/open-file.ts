/** Opens a file of the reader: an agent's session, a saved log, a list of messages or a request. */

import { ConversationLog } from "../../js/entries/log.ts";
import { EspalierError } from "../../js/errors/errors.ts";
import type { ReadSessionOptions } from "../../js/sessions/types.ts";
import type { Progress } from "../protocol.ts";
import { read, readers } from "../reading.ts";
import type { Open } from "../session.ts";
import { tell } from "../talk.ts";

/** Milliseconds between two progress messages; a screen reader speaks each of them. */
const NEWS_MS = 1_000;

/**
 * Opens a file as a session or, if no layout fits, as a list of messages or a request. The code that reads sessions is
 * loaded here, for the first file.
 *
 * @throws EspalierError those of `openSession`; for a file that is almost a transcript those of `readConversation`
 */
export async function openFile(source: File, conversation?: number): Promise<Open> {
  const { name } = source;
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
