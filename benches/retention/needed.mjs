/**
 * Needed next: what the agent's next 20 calls use of the history, and how much of it a view shows.
 *
 * Lines are those of the calls' arguments that occur in the history (code to edit, commands to run again, values to
 * pass on); names are base names of paths and identifiers. A file is read again if one of the next calls reads it, the
 * history had its content, and the view has less than half of the lines that the read returned.
 */

import { decoded, parsed, strings, textOf } from "./transcripts.mjs";

const NEXT = 20;
const PATH = /[\w.-]+\/[\w./-]+\.[a-z]{1,5}\b/g;
const IDENTIFIER = /\b(?:[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w+|[a-z]+_[a-z_0-9]+)\b/g;
const MIN_HISTORY = 40;

/** Returns cuts all along a transcript, each before an assistant message: `{ at, history, next }`. */
export function cuts(messages) {
  const step = Math.max(20, Math.floor(messages.length / 20));
  const found = [];
  for (let from = Math.min(MIN_HISTORY, Math.floor(messages.length / 2)); from < messages.length - 6; from += step) {
    let at = from;
    while (at < messages.length && messages[at].role !== "assistant") at++;
    const next = messages.slice(at);
    if (next.length > 0) found.push({ at, history: messages.slice(0, at), next });
  }
  return found;
}

/** Returns what the next calls need: `{ lines, names, reads }`, only content of the history. */
export function needs(history, next) {
  const text = history.map(textOf).join("\n");
  const words = new Set(text.match(/[\w.-]+/g));
  const lines = new Set(),
    names = new Set(),
    reads = [];
  const calls = next.flatMap((message, at) => (message.tool_calls ?? []).map((call) => ({ call, at }))).slice(0, NEXT);
  for (const {
    call: {
      id,
      function: { name, arguments: given },
    },
    at,
  } of calls) {
    for (const line of decoded(given)
      .split("\n")
      .map((line) => line.trim())) {
      if (line.length >= 16 && line.length < 300 && text.includes(line)) lines.add(line);
    }
    for (const path of given.match(PATH) ?? []) names.add(path.slice(path.lastIndexOf("/") + 1));
    for (const found of given.match(IDENTIFIER) ?? []) names.add(found);
    // Agents without files pass ids, codes and names.
    for (const value of strings(parsed(given)))
      if (/^[\w@.-]{4,39}$/.test(value) && /[A-Z\d_]/.test(value)) names.add(value);
    if (!/read|view|cat|open/i.test(name)) continue;
    const result = next.slice(at + 1).find((message) => message.role === "tool" && message.tool_call_id === id);
    const seen = contentLines(result).filter((line) => text.includes(line));
    if (seen.length >= 5) reads.push(seen);
  }
  return { lines: [...lines], names: [...names].filter((name) => words.has(name) || text.includes(name)), reads };
}

function contentLines(message) {
  return message === undefined
    ? []
    : textOf(message)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line.length >= 16);
}

/** Counts how much of these needs a view shows. */
export function shown({ lines, names, reads }, view) {
  const text = view.map(textOf).join("\n");
  const has = (item) => text.includes(item);
  const again = reads.filter((read) => read.filter(has).length * 2 < read.length);
  return { lines: lines.filter(has).length, names: names.filter(has).length, again: again.length };
}
