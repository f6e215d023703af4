/**
 * Writes recalled messages as one text within a token limit. Short messages are whole. After a shortened one the text
 * says what is missing and which call returns the next piece. All quoted text is escaped, so that it can neither end
 * its quotation nor imitate a record.
 */

import { call, wasm } from "../engine/engine.ts";

/** A message to show. */
export interface Quoted {
  id: string;
  role: string;
  /** Names of the tools that it calls or answers. */
  tools: readonly string[];
  /** Ids of the other messages of its round. */
  with?: readonly string[];
  text: string;
  /** Where to begin; `around` is instead a place that the piece must contain. In UTF-16 code units of `text`. */
  start?: number;
  around?: number;
}

/** The text around the messages, and how to ask for the next ones. */
export interface Frame {
  /** Sentences before the messages. */
  head: string;
  /** Returns the sentence on messages that did not fit; without it there is none. */
  rest?: (left: readonly Quoted[]) => string;
  /** Sentences after the messages. */
  notes?: readonly string[];
}

export type Count = (text: string) => number;

/** Tokens that a message may take before later messages are left for the next call, as a share of the limit. */
const SHARE = 1 / 8;
/** Tokens of the tags and the note after one message. */
const AROUND = 60;
/** Max UTF-16 code units of a token in usual texts. */
const LONGEST_TOKEN = 8;
/** The same for any text: blanks, dashes. */
const LONGEST_BLANK = 128;
/** Max share of a piece that may be given up so that it ends at the end of a line. */
const SNAP = 0.25;
/** How often a page that came out too long is made again. */
const ATTEMPTS = 8;
/** Share of a piece that precedes its place of interest. */
const BEFORE = 0.25;

/** Writes a page of at most `limit` tokens. */
export function page(messages: readonly Quoted[], frame: Frame, limit: number, count: Count): string {
  for (let attempt = 0, room = limit; attempt < ATTEMPTS; attempt += 1, room *= 0.8) {
    const text = write(messages, frame, room, count);
    if (count(text) <= limit) return text;
  }
  // For example with ids of thousands of characters: the beginning says most.
  return longestPiece(write(messages.slice(0, 1), frame, 0, count), 0, limit, count, (text) => text).text;
}

function write(messages: readonly Quoted[], { head, rest, notes = [] }: Frame, limit: number, count: Count): string {
  const room = limit - count([head, ...notes].join("\n")) - (rest && messages.length > 1 ? AROUND : 0);
  const [shown, sizes] = fittingMessages(messages, room, count);
  const allowed = evenShare(sizes, room - shown.length * AROUND);
  const left = messages.slice(shown.length);
  const quoted = shown.flatMap((message, at) => quote(message, Math.min(sizes[at]!, allowed), count));
  return [head, ...quoted, ...(left.length > 0 && rest ? [rest(left)] : []), ...notes]
    .filter((line) => line !== "")
    .join("\n");
}

/** Returns the first messages that fit, each with up to its share, and their tokens. */
function fittingMessages(messages: readonly Quoted[], room: number, count: Count): [Quoted[], number[]] {
  const [shown, sizes]: [Quoted[], number[]] = [[], []];
  let taken = 0;
  for (const message of messages) {
    const { text, start = 0 } = message;
    const isHuge = text.length - start > room * LONGEST_TOKEN;
    const size = isHuge ? Infinity : count(escaped(text.slice(start)));
    taken += Math.min(size, room * SHARE) + AROUND;
    if (taken > room && shown.length > 0) break;
    shown.push(message);
    sizes.push(size);
  }
  return [shown, sizes];
}

/** Returns the largest size up to which every message fits. */
function evenShare(sizes: readonly number[], room: number): number {
  let left = Math.max(0, room);
  const sorted = sizes.toSorted((a, b) => a - b);
  for (const [at, size] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

function quote(message: Quoted, tokens: number, count: Count): string[] {
  const { id, role, tools, text, with: round = [] } = message;
  const start = begin(message, tokens, count);
  const { text: piece, end } = longestPiece(text, start, tokens, count, escaped);
  const isWhole = start === 0 && end === text.length;
  const fields = [
    ["id", id],
    ["role", role],
    ["tools", tools.join(" ")],
    ["with", round.join(" ")],
    ["characters", isWhole ? "" : `${start}-${end} of ${text.length}`],
  ];
  const tag = fields.map(([name, value]) => (value === "" ? "" : ` ${name}="${attribute(value!)}"`)).join("");
  const lines = [`<recalled${tag}>`, piece, "</recalled>"];
  if (start > 0) lines.push(`(It begins earlier: ${nextArguments({ id })})`);
  if (end < text.length) lines.push(`(It goes on: ${nextArguments({ id, offset: end })})`);
  return lines;
}

/** Returns the start of the piece: the line before its place of interest. */
function begin({ text, start = 0, around }: Quoted, tokens: number, count: Count): number {
  if (around === undefined) return start;
  const whole = longestPiece(text, 0, tokens, count, escaped);
  if (whole.end === text.length) return 0;
  const from = Math.max(0, around - Math.floor(whole.end * BEFORE));
  const line = from === 0 ? 0 : text.indexOf("\n", from) + 1;
  return aligned(text, line > 0 && line <= around ? line : from);
}

/**
 * Returns the longest piece from `start` on that has at most `tokens` tokens once it is escaped; it ends at the end of
 * a line if one is near.
 */
function longestPiece(
  text: string,
  start: number,
  tokens: number,
  count: Count,
  write: (text: string) => string,
): { text: string; end: number } {
  const most = text.length - start <= tokens * LONGEST_BLANK ? text.length - start : tokens * LONGEST_TOKEN;
  let end = start + Math.max(0, Math.floor(most));
  for (;;) {
    end = aligned(text, end);
    const piece = write(text.slice(start, end));
    const has = end === start ? 0 : count(piece);
    if (has <= tokens) {
      const snapped = snap(text, start, end);
      return snapped === end ? { text: piece, end } : { text: write(text.slice(start, snapped)), end: snapped };
    }
    const next = start + Math.floor((end - start) * Math.min(0.97, Math.max(0.05, tokens / has)));
    end = next < end ? next : end - 1;
  }
}

function snap(text: string, start: number, end: number): number {
  if (end >= text.length) return end;
  const least = end - Math.floor((end - start) * SNAP);
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (line > least) return line;
  const blank = text.lastIndexOf(" ", end - 1) + 1;
  return blank > least ? blank : end;
}

/** Moves an offset so that it does not split a character. */
function aligned(text: string, offset: number): number {
  const unit = text.charCodeAt(offset - 1);
  return offset > 0 && offset < text.length && unit >= 0xd800 && unit <= 0xdbff ? offset - 1 : offset;
}

/** Returns the arguments of the next call, in the form that the model writes. */
export function nextArguments(args: { id: string; offset?: number }): string {
  return withoutTags(JSON.stringify(args));
}

function escaped(text: string): string {
  return call(() => wasm().escapeTags(text)).replace(/<(?=\\*\/?\s*recalled)/gi, "<\\");
}

function attribute(text: string): string {
  return text.replace(/["<>\p{Cc}]/gu, "");
}

/** Removes angle brackets: there are no tags outside of a quotation. */
function withoutTags(text: string): string {
  return text.replace(/[<>]/g, "");
}
