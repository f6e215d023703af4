/** The host's own messages as JSON, one a line, beside the log: writes and reads the lines. */

import { readConversation } from "../formats/index.ts";
import { RULES } from "../formats/table.ts";
import type { Format } from "../types/messages.ts";
import { encoded } from "./base64.ts";

/** What is stored for a message without JSON, which only the log has. */
const ABSENT = "null";

/** Returns JSON of a host's message. */
export function messageLine(message: unknown, format: Format): string {
  try {
    const { stored } = RULES[format];
    return JSON.stringify(stored ? stored.to(message) : message, encoded) ?? ABSENT;
  } catch {
    return ABSENT;
  }
}

/** Lines that were read. */
export interface Beside {
  /** The whole text. */
  text: string;
  lines: string[];
  /** By line; `undefined` if there is no message in it. */
  messages: unknown[];
  /** Number of lines that have neither a message nor the place of one without JSON. */
  odd: number;
  /** True if each line has a message and ends with a line break. */
  isExact: boolean;
}

export function besideOf(text: string, format: Format): Beside {
  const { stored } = RULES[format];
  const lines = text.split("\n");
  // A truncated write leaves text behind the last line break.
  const cut = lines.pop()!;
  const read = (line: string): unknown => {
    try {
      const message: unknown = JSON.parse(line);
      return (stored ? stored.from(message) : message) ?? undefined;
    } catch {
      return undefined;
    }
  };
  const messages = lines.map(read);
  const odd = messages.filter((message, at) => message === undefined && lines[at] !== ABSENT).length;
  const last = cut === "" ? undefined : read(cut);
  const isExact = cut === "" && !messages.includes(undefined);
  if (last === undefined) return { text, lines, messages, odd, isExact };
  return { text, lines: [...lines, cut], messages: [...messages, last], odd, isExact };
}

/** Returns the format of stored messages, if it can be seen from them. */
export function formatOf(text: string): Format | undefined {
  const messages = besideOf(text, "openai-chat").messages.filter((message) => message !== undefined);
  try {
    return messages.length === 0 ? undefined : readConversation(messages).format;
  } catch {
    return undefined;
  }
}

/** Lines that may follow the text that has them already, because their append ended late. */
interface LateLines {
  from: number;
  to: number;
}

/** Returns the note of the log about such lines. */
export function lateNote(from: number, to: number): { late: LateLines } {
  return { late: { from, to } };
}

/** Returns the lines that a note of the log is about, if it is about such lines. */
export function lateLines(note: unknown): LateLines | undefined {
  const { from, to } = (note as Partial<ReturnType<typeof lateNote>> | null)?.late ?? {};
  return typeof from === "number" && typeof to === "number" && from < to ? { from, to } : undefined;
}

/**
 * Returns the indexes of lines from `start` on that were stored twice: a copy of the text from its first line on, and
 * lines whose append ended late. One line may be said twice; several in the same order, after the last that the log
 * has, are a copy.
 */
export function repeatedFrom(lines: readonly string[], start: number, late: readonly LateLines[]): Set<number> {
  const repeated = new Set<number>();
  if (start === 0) return repeated;
  let count = 0;
  while (start + count < lines.length && lines[start + count] === lines[count % start]) count += 1;
  let at = start;
  const skip = (length: number) => {
    for (const end = at + length; at < end; at += 1) repeated.add(at);
  };
  if (count >= 2 && count >= Math.min(start, lines.length - start)) skip(count);
  while (at < lines.length) {
    const found = late.find(
      ({ from, to }) => to <= start && lines.slice(from, to).every((line, number) => lines[at + number] === line),
    );
    if (found) skip(found.to - found.from);
    else at += 1;
  }
  return repeated;
}
