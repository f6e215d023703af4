/** Reads files of conversations, and writes messages as text. */

import { EspalierError } from "../js/errors/errors.ts";
import type { NeutralMessage, Part } from "../js/types/messages.ts";

/** The user's own file, or an example of the page. */
export type Source = File | { url: string; name: string };
/** The same, or a text that is at hand. */
export type Readable = Source | { text: string; name: string };

/** Parses a source: JSON, or one JSON value a line. */
export async function read(source: Readable): Promise<unknown> {
  const text = await textIn(source);
  try {
    return parse(text);
  } catch (cause) {
    if (cause instanceof EspalierError) throw cause;
    const message = `This is not JSON: ${(cause as Error).message}`;
    throw new EspalierError({ code: "bad_json", message, path: source.name, cause });
  }
}

async function textIn(source: Readable): Promise<string> {
  if ("text" in source && typeof source.text === "string") return source.text;
  return source instanceof File ? source.text() : fetched((source as { url: string }).url);
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new EspalierError({ code: "file_not_found", message: `${url} answered ${response.status}` });
  const bytes = await response.arrayBuffer();
  // Some servers unpack a .gz file on the way, and some do not.
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Characters of a line that an error shows. */
const MAX_SHOWN = 60;

function parse(text: string): unknown {
  if (text.trim() === "") throw new EspalierError({ code: "bad_json", message: "The file is empty." });
  // A decoded NUL does not occur in texts.
  if (text.includes("\0"))
    throw new EspalierError({ code: "bad_json", message: "This is a binary file, not a transcript." });
  try {
    return JSON.parse(text);
  } catch (error) {
    const lines = text.split("\n");
    const filled = lines.filter((line) => line.trim() !== "");
    const [first = ""] = filled;
    if (filled.length < 2 || !first.trim().startsWith("{") || first.trim() === "{") throw error;
    return lines.flatMap((line, at) => (line.trim() === "" ? [] : [parseLine(line, at + 1)]));
  }
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
    const message = `Line ${number} is not JSON: ${shown}`;
    throw new EspalierError({ code: "bad_json", message, path: `line ${number}`, cause });
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
    case "boundary":
      return "(next message)";
  }
}

/** The code that reads sessions of agents. */
export type Readers = typeof import("../js/sessions/index.ts");

/** Loads it: it is a separate file beside this script, since most visitors only use the examples. */
export function readers(): Promise<Readers> {
  return import(new URL("sessions.js", import.meta.url).href) as Promise<Readers>;
}
