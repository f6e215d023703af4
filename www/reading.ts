/** Reads files of conversations, and writes messages as text. */

import { EspalierError } from "../js/errors/errors.ts";
import type { NeutralMessage, Part } from "../js/types/messages.ts";

/** The user's own file, or an example of the page. */
export type Source = File | { url: string; name: string };

/** Parses a source: JSON, or one JSON value a line. */
export async function read(source: Source): Promise<unknown> {
  const text = source instanceof File ? await source.text() : await fetched(source.url);
  try {
    return parse(text);
  } catch (cause) {
    throw new EspalierError({
      code: "bad_json",
      message: `This is not JSON: ${(cause as Error).message}`,
      path: source.name,
      cause,
    });
  }
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new EspalierError({ code: "file_not_found", message: `${url} answered ${response.status}` });
  return response.text();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2 || !lines[0]?.trim().startsWith("{") || lines[0].trim() === "{") throw error;
    return lines.map((line) => JSON.parse(line));
  }
}

/** Returns a message as people read it, up to `most` UTF-16 units. */
export function textOf(message: NeutralMessage | undefined, most = 200_000): string {
  let out = "";
  for (const part of message?.parts ?? []) {
    out += `${out && "\n"}${partText(part)}`;
    if (out.length > most) return `${out.slice(0, most)}…`;
  }
  return out;
}

/** Returns the beginning of a message, on one line. */
export function peekOf(message: NeutralMessage | undefined, most: number): string {
  return textOf(message, 2 * most)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, most);
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return `(thinking) ${part.text}`;
    case "toolCall":
      return `→ ${part.name}(${part.arguments})`;
    case "toolResult":
      return `${part.isError ? "✗" : "←"} ${part.content.map(partText).join("\n")}`;
    case "opaque":
      return part.json;
    case "image":
      return "(picture)";
    case "document":
      return "(document)";
    case "cacheMark":
      return "(cache mark)";
  }
}

/** The code that reads sessions of agents. */
export type Readers = typeof import("../js/sessions/index.ts");

/** Loads it: it is a separate file beside this script, since most visitors only use the examples. */
export function readers(): Promise<Readers> {
  return import(new URL("sessions.js", import.meta.url).href) as Promise<Readers>;
}
