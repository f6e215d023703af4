/** Opens a FILE of the command line: a session of another agent, a list of messages, or a request. */

import { statSync } from "node:fs";
import { EspalierError } from "../entries/verbs.ts";
import { fromStored } from "../formats/vscode/parts.ts";
import { openSession, readSession, sessionRequest } from "../sessions/index.ts";
import { isJson } from "../sessions/unknown.ts";
import type { ReadSessionOptions, Session, SessionView } from "../sessions/index.ts";
import { parseInput } from "./input.ts";
import { sourceOf } from "./source.ts";
import { readText, streamText, unreadable } from "./text.ts";

export interface OpenFlags extends ReadSessionOptions {
  view?: SessionView;
  /** If given, the file is a list of messages or a request. */
  format?: string | undefined;
}

export interface OpenedFile {
  /** The input of `count`, `prune` and `compact`. */
  input: unknown;
  session?: Session;
  /** The model that a recorded request names. */
  model?: string;
}

/** Errors after which the file may still be a conversation in one of our formats instead of a session. */
const NO_SESSION = new Set(["unknown_session", "bad_json"]);

/**
 * @throws EspalierError `file_not_found`, `bad_json`, `binary_file`, `unknown_session`, `no_conversation`,
 * `several_sessions`, `bad_option`
 */
export async function openFile(file: string, { view = "live", format, ...options }: OpenFlags): Promise<OpenedFile> {
  const named = { ...options, name: file === "-" ? "standard input" : file };
  if (format !== undefined) return requestOf(parseInput(readText(file), file));
  const text = isReadOnce(file) ? readText(file) : undefined;
  try {
    const session = text === undefined ? await openSession(streamText(file), named) : readSession(text, named);
    return { input: sessionRequest(session, view), session };
  } catch (error) {
    const isAsked = Object.keys(options).length > 0;
    if (!(error instanceof EspalierError) || !NO_SESSION.has(error.code) || isAsked) throw error;
    return requestOf(conversation(text ?? readText(file), file, error));
  }
}

/** True for standard input and for pipes, such as `<(command)` of a shell: what was read from them is gone. */
function isReadOnce(file: string): boolean {
  try {
    return file === "-" || statSync(file, { throwIfNoEntry: false })?.isFile() === false;
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function requestOf(input: unknown): OpenedFile {
  const { model } = (input ?? {}) as { model?: unknown };
  return { input: restored(input), ...(typeof model === "string" && !Array.isArray(input) && { model }) };
}

/** Restores the bytes of VS Code's messages, which JSON does not have; those have numbers for roles. */
function restored(input: unknown): unknown {
  const list: unknown = Array.isArray(input) ? input : (input as { messages?: unknown } | null)?.messages;
  const isNumbered = (message: unknown) => typeof (message as { role?: unknown } | null)?.role === "number";
  if (!Array.isArray(list) || !list.some(isNumbered)) return input;
  const messages = list.map(fromStored);
  return Array.isArray(input) ? messages : { ...(input as object), messages };
}

/** True for JSON Lines: the first line is a value of its own, and more follow. */
function isLines(text: string): boolean {
  const [first = "", ...more] = text.trim().split("\n", 2);
  return more.length > 0 && isJson(first);
}

/** Reads the conversation in a file that is not a session. */
function conversation(text: string, file: string, sessionError: EspalierError): unknown {
  const input = parseInput(text, file);
  try {
    sourceOf(input, undefined);
  } catch (error) {
    if (!(error instanceof EspalierError) || sessionError.code !== "unknown_session") throw error;
    // The first line is not a message: the file is more likely a log than a list of messages with a mistake.
    const isLog = error.code === "bad_message" && /^messages\[0\]/.test(error.path ?? "") && isLines(text);
    if (error.code !== "unknown_format" && !isLog) throw error;
    // The file is neither; the sessions' error names the most similar layout.
    throw new EspalierError({
      code: "unknown_session",
      message: `${sessionError.message} Nor is it a conversation: ${error.message}`,
      path: "source",
    });
  }
  return input;
}
