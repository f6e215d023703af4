/** The worker's side of sessions: opens the file of an agent, and says what is in it. */

import { EspalierError, countMessages } from "../js/entries/web.ts";
import type { ReadSessionOptions, Session } from "../js/sessions/types.ts";
import type { EncodingName, Format, ToolList } from "../js/types.ts";
import type { Progress, SessionFacts, UsageFacts, View } from "./protocol.ts";
import { read } from "./reading.ts";
import type { Source } from "./reading.ts";
import { tell } from "./talk.ts";

/** What is open: a session, or what else the file holds; `unknown` is the error if that is no transcript either. */
export type Open = { name: string; conversation?: number | undefined } & ({ session: Session } | { input: unknown; unknown?: EspalierError });

/** What the engine counts and fits. */
export interface Counted {
  input: unknown;
  options: { format?: Format; tools?: ToolList };
}

/** Limits of what is sent to the page for a single list. */
const MAX = { problems: 100, summary: 20_000 };
/** Milliseconds between two pieces of news. */
const NEWS_MS = 200;

/**
 * Opens a file as a session or, if no layout fits, as a list of messages or a request. The code that reads sessions is loaded here, for
 * the first file.
 *
 * @throws EspalierError those of `openSession`; of a file that is almost a transcript those of `readConversation`
 */
export async function openFile(source: Source, conversation?: number): Promise<Open> {
  const { name } = source;
  if (!(source instanceof File)) return { name, input: await read(source) };
  const { openSession } = await readers();
  try {
    const options: ReadSessionOptions = { name, ...(conversation !== undefined && { conversation }) };
    return { name, conversation, session: await openSession(pieces(source), options) };
  } catch (error) {
    if (!(error instanceof EspalierError) || error.code !== "unknown_session") throw error;
    const unknown = noTranscript(error);
    return { name, input: await parsed(source, unknown), unknown };
  }
}

/** Beside this script, and in a file of its own: most visitors look at the examples. */
const readers = () => import(new URL("sessions.js", import.meta.url).href) as Promise<typeof import("../js/sessions/index.ts")>;

async function* pieces(file: File): AsyncGenerator<Uint8Array> {
  const { name, size } = file;
  const reader = file.stream().getReader();
  let last = Date.now();
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read().catch((cause: unknown) => { throw unreadable(name, cause); });
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
  return new EspalierError({ code, path, message: `${message} A list of messages and the request of a provider were looked for, too.` });
}

/** The JSON of a file that no agent wrote. */
async function parsed(file: File, unknown: EspalierError): Promise<unknown> {
  // Whether it can be JSON shows at its beginning; the rest may be long.
  if (!/^\s*[[{"]/.test(await file.slice(0, 1_000).text())) throw unknown;
  return read(file);
}

/** The messages of a view, with what every request of the session holds beside them. */
export function viewOf(open: Open, view: View): Counted {
  if ("input" in open) return { input: open.input, options: {} };
  const { session } = open;
  if (view === "live") return requestOf(session, session.messages);
  if (view === "history") return requestOf(session, session.history);
  const side = session.sideChains[view.side];
  // A sub-agent has a system prompt and tools of its own.
  return { input: side?.messages ?? [], options: { format: session.format } };
}

function requestOf({ format, system, tools }: Session, messages: readonly unknown[]): Counted {
  const options = { format, ...(tools && { tools: tools as ToolList }) };
  if (system === undefined) return { input: messages, options };
  if (format === "gemini") return { input: { contents: messages, systemInstruction: { parts: [{ text: system }] } }, options };
  if (format === "openai-responses") return { input: { input: messages, instructions: system }, options };
  return { input: { messages, system }, options };
}

/** The view that a file opens with. */
export const firstView = (open: Open): View => ("session" in open && open.session.messages.length === 0 ? "history" : "live");

export function factsOf({ session, conversation }: { session: Session; conversation?: number | undefined }, encoding: EncodingName): SessionFacts {
  const { tool, evidence, title, model, version, cwd, window, messages, history, compactions, sideChains, skipped, problems } = session;
  return {
    tool, evidence, title, model, version, cwd, window, conversation, skipped,
    live: messages.length,
    history: history.length,
    requests: requests(session),
    compactions: compactions.map(({ before, context, summary, tokensBefore, tokensAfter }) =>
      ({ before, context: context.length, summary: summary?.slice(0, MAX.summary), tokensBefore, tokensAfter })),
    sides: sideChains.map(({ messages, ...side }) => ({ ...side, messages: messages.length })),
    problems: problems.slice(0, MAX.problems),
    broken: problems.length,
    usage: usageOf(session, encoding),
  };
}

function requests({ history, entries }: Session): number {
  const isRequest = (message: unknown, index: number) => !entries[index]?.injected && isUser(message) && !holdsResults(message);
  return history.filter(isRequest).length;
}

/** Raw messages of prompts have numbers for roles. */
const isUser = (message: unknown) => ["user", 1].includes((message as { role?: string | number }).role ?? "");

/** Results of tools have the role `user` in the formats of Anthropic and Gemini. */
function holdsResults(message: unknown): boolean {
  const { content, parts } = message as { content?: unknown; parts?: unknown };
  return [content, parts].some((list) => Array.isArray(list) && list.some((part: unknown) =>
    typeof part === "object" && part !== null && ((part as { type?: unknown }).type === "tool_result" || "functionResponse" in part)));
}

/** Counts what the newest request held: what was live before its answer. */
function usageOf(session: Session, encoding: EncodingName): UsageFacts | undefined {
  const { history, compactions, usage, system, tools } = session;
  const newest = usage.at(-1);
  if (!newest) return undefined;
  const compaction = compactions.findLast(({ before }) => before <= newest.answer);
  const messages = [...(compaction?.context ?? []), ...history.slice(compaction?.before ?? 0, newest.answer)];
  const { input, options } = requestOf(session, messages);
  const { total, origin } = countMessages(input, { ...options, encoding });
  const missing: UsageFacts["missing"] = [];
  if (system === undefined && !hasSystem(messages)) missing.push("the system prompt");
  if (tools === undefined) missing.push("the tool definitions");
  const { usage: { promptTotal, cacheRead }, model } = newest;
  return { recorded: promptTotal, cached: cacheRead, model, counted: total, origin, messages: messages.length, missing };
}

function hasSystem([first]: readonly unknown[]): boolean {
  const role = (first as { role?: unknown } | undefined)?.role;
  return role === "system" || role === "developer" || role === 0;
}
