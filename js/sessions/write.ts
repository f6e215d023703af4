/** Converts sessions to requests, and to files of the tool that wrote them. */

import { EspalierError } from "../errors/errors.ts";
import { READERS } from "./readers.ts";
import type { Session } from "./types.ts";

/** The messages of a session to use: those of the next request, or all that were ever part of the conversation. */
export type SessionView = "live" | "history";

/**
 * Returns a session in the form that `countMessages`, `prune` and `compact` take: a list of messages, or a request
 * object if the file contains a separate system prompt or tools.
 *
 * ```ts
 * import { readSession, sessionRequest } from "espalier/sessions";
 *
 * const file = '{"type":"session","version":3,"id":"s","cwd":"/srv"}\n{"type":"message","message":{"role":"user","content":"Hi"}}';
 * sessionRequest(readSession(file)); // => [{ role: "user", content: "Hi" }]
 * ```
 */
export function sessionRequest(session: Session, view: SessionView = "live"): unknown {
  const { format, system, tools } = session;
  const messages = view === "history" ? session.history : session.messages;
  if (system === undefined && tools === undefined) return messages;
  const list = tools !== undefined && { tools };
  if (format === "gemini")
    return {
      ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
      contents: messages,
      ...list,
    };
  if (format === "openai-responses")
    return { ...(system !== undefined && { instructions: system }), input: messages, ...list };
  return { ...(system !== undefined && { system }), messages, ...list };
}

/** A supported layout. */
export interface KnownLayout {
  layout: Session["layout"];
  /** Name of the tool. */
  tool: string;
  /** True if {@link writeSession} writes it: its tool resumes from the file. */
  isWritable: boolean;
}

/** Returns all supported layouts, in the order in which they are tried. */
export function sessionLayouts(): KnownLayout[] {
  return READERS.map(({ layout, tool, write }) => ({ layout, tool, isWritable: write !== undefined }));
}

/**
 * Writes a session in its own layout with other messages as its live context, so that the tool can resume from it.
 * Messages of the session are recognised by identity, as `prune` and `repair` return them, and keep their lines; lines
 * without a message stay.
 *
 * ```ts
 * import { readSession, writeSession } from "espalier/sessions";
 *
 * const line = (uuid: string, parentUuid: string | null, content: string) =>
 *   JSON.stringify({ parentUuid, sessionId: "s", uuid, type: "user", message: { role: "user", content } });
 * const file = [line("1", null, "Hi"), line("2", "1", "Why does the build fail?")].join("\n");
 * const session = readSession(file);
 * const shorter = writeSession(session, session.messages.slice(1), file);
 * readSession(shorter).messages; // => [{ role: "user", content: "Why does the build fail?" }]
 * ```
 *
 * @param messages in the session's format
 * @param original the text that the session was read from
 * @throws EspalierError `unsupported` if the tool cannot resume from its file, `bad_input`
 */
export function writeSession(session: Session, messages: readonly unknown[], original: string): string {
  if (!Array.isArray(messages))
    throw new EspalierError({ code: "bad_input", message: "messages must be a list", path: "messages" });
  if (typeof original !== "string")
    throw new EspalierError({
      code: "bad_input",
      message: "original must be the text of the file",
      path: "original",
    });
  if (session.sideChain !== undefined) {
    const message = "session is a side chain: the tool resumes from the main conversation only";
    throw new EspalierError({ code: "unsupported", message, path: "session.sideChain" });
  }
  const write = READERS.find(({ layout }) => layout === session.layout)?.write;
  if (write) {
    const isSame =
      messages.length === session.messages.length && messages.every((message, at) => message === session.messages[at]);
    return isSame ? original : write(original, session, messages);
  }
  const message = `files of ${session.tool} (${session.layout}) are read, but not written: the tool does not resume from them. Written are ${sessionLayouts()
    .flatMap((one) => (one.isWritable ? [one.layout] : []))
    .join(", ")}.`;
  throw new EspalierError({ code: "unsupported", message, path: "session.layout" });
}
