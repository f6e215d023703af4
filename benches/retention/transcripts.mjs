/** The public transcripts: those of the tests and those of this folder, as chat-completions messages. */

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

/** The folders of the tests and of this benchmark. */
export const FOLDERS = [
  new URL("../../tests/fixtures/transcripts/", import.meta.url).pathname,
  new URL("./transcripts/", import.meta.url).pathname,
];

/** Returns `[{ name, messages }]`, ordered by name. `folders` replaces the public ones. */
export function transcripts(folders = FOLDERS) {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".json"))
      .map((file) => join(folder, file)),
  );
  const read = files.map((file) => ({
    name: basename(file, ".json"),
    messages: messagesOf(JSON.parse(readFileSync(file, "utf8"))),
  }));
  return read.filter(({ messages }) => messages.length > 0).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Returns the messages for a provider: fields that begin with `x_` are notes of the collection. */
function messagesOf({ messages = [] }) {
  return messages.map((message) => {
    const kept = Object.fromEntries(Object.entries(message).filter(([key]) => !key.startsWith("x_")));
    return kept.role === "assistant" && kept.content === undefined ? { ...kept, content: null } : kept;
  });
}

/** Returns the text of a message: its content and the arguments of its calls. */
export function textOf(message) {
  const content =
    typeof message.content === "string"
      ? message.content
      : (message.content ?? []).map((part) => part.text ?? "").join("\n");
  const calls = (message.tool_calls ?? []).map(
    ({ function: { name, arguments: given } }) => `${name} ${decoded(given)}`,
  );
  return [content, ...calls].join("\n");
}

/** Returns arguments as a reader sees them: the strings of the JSON, without escapes. */
export function decoded(given) {
  return strings(parsed(given)).join("\n");
}

export function parsed(given) {
  try {
    return JSON.parse(given);
  } catch {
    // A model may write broken JSON; its text is used then.
    return String(given);
  }
}

export function strings(value) {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return value && typeof value === "object" ? Object.values(value).flatMap(strings) : [];
}
