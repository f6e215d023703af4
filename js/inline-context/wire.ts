/** Converts requests and results for the crossing: texts in lists, numbers in arrays, results as JSON. */

import { badInput } from "../errors/errors.ts";
import { isSecret } from "../files/secrets.ts";
import { check } from "../options/check.ts";
import { INLINE_EDIT, INLINE_FILE, INLINE_ITEM } from "../options/schemas/inline-context.ts";
import type {
  InlineContextItem,
  InlineContextResult,
  InlineEdit,
  InlineFile,
  InlineItem,
  InlineTokens,
} from "./types.ts";

/** A larger offset means the end of its text. */
const MAX = 2 ** 31 - 1;
/** Time between edits for which the host passes no times. */
const APART_MS = 60_000;

const KINDS = ["snippet", "trait", "diagnostic"];

/**
 * Checks a file.
 *
 * @throws EspalierError `bad_input` with the path of the invalid field
 */
export function fileOf(file: unknown, path: string): Required<InlineFile> {
  const {
    path: name,
    text,
    language = "",
    scheme = "file",
    focusedMs = NaN,
  } = check(file as InlineFile, INLINE_FILE, path, badInput);
  return { path: name, text, language, scheme, focusedMs };
}

/** Returns neighbour files: four texts for each, and the time of its focus. */
export function filesOf(files: readonly InlineFile[], path: string): [texts: string[], focused: Float64Array] {
  const all = list(files, path).map((file, index) => fileOf(file, `${path}[${index}]`));
  const texts = all.flatMap((file) => [file.path, file.language, file.scheme, file.text]);
  return [texts, Float64Array.from(all, ({ focusedMs }) => focusedMs)];
}

/**
 * Checks an item.
 *
 * @throws EspalierError `bad_input` with the path of the invalid field
 */
export function checkItem(item: unknown, path: string): asserts item is InlineItem {
  check(item as InlineItem, INLINE_ITEM, path, badInput);
}

/** Returns items: three texts and four numbers for each. */
export function itemsOf(items: readonly InlineItem[], path: string): [texts: string[], numbers: Float64Array] {
  const texts: string[] = [];
  const all = list(items, path);
  const numbers = new Float64Array(4 * all.length);
  all.forEach((item, index) => {
    checkItem(item, `${path}[${index}]`);
    texts.push(item.id, item.path ?? "", item.text);
    const arrived = item.arrivedMs === "pending" ? NaN : (item.arrivedMs ?? 0);
    numbers.set([KINDS.indexOf(item.kind ?? "snippet"), item.priority ?? 0.7, item.weight ?? 1, arrived], 4 * index);
  });
  return [texts, numbers];
}

/** Returns edits: three texts for each, and its time. */
export function editsOf(edits: readonly InlineEdit[], path: string): [texts: string[], times: Float64Array] {
  const texts: string[] = [];
  const times = new Float64Array(list(edits, path).length);
  let last = 0;
  edits.forEach((edit, index) => {
    const at = `${path}[${index}]`;
    const { path: name, before, after, atMs = last + APART_MS } = check(edit, INLINE_EDIT, at, badInput);
    times[index] = last = timeOf(atMs, `${at}.atMs`);
    texts.push(name, before, after);
  });
  return [texts, times];
}

/** Checks a time: a number, 0 or more. */
export function timeOf(value: unknown, path: string): number {
  if (typeof value !== "number" || !(value >= 0)) throw badInput(path, "a time, 0 or more", value);
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

/** Checks an offset: a whole number. A negative one means the beginning. */
export function offsetOf(value: unknown, path: string): number {
  if (typeof value !== "number" || (!Number.isInteger(value) && Math.abs(value) !== Infinity))
    throw badInput(path, "a whole number", value);
  return Math.max(0, Math.min(value, MAX));
}

/** Returns path and language of a document, and the excluded paths: those of the host, and secrets of `others`. */
export function documentOf(
  file: Required<InlineFile>,
  excluded: readonly string[] | undefined,
  path: string,
  others: readonly string[],
  secrets: boolean,
): string[] {
  list(excluded ?? [], path).forEach((one, index) => {
    if (typeof one !== "string") throw badInput(`${path}[${index}]`, "a path", one);
  });
  const hidden = secrets ? [] : [file.path, ...others].filter(isSecret);
  return [file.path, file.language, ...(excluded ?? []), ...hidden];
}

/** Returns a copy of a list, in which holes are values, too: methods of lists skip them. */
function list<T>(value: readonly T[], path: string): readonly T[] {
  if (!Array.isArray(value)) throw badInput(path, "a list", value);
  return Array.from(value);
}

/** Texts that cross as lengths. */
type Side = "prefix" | "trailing" | "restOfLine" | "suffix";

/** The engine's answer. */
interface Answer
  extends Record<Side, number>,
    Omit<InlineContextResult, Side | "context" | "items" | "tokens" | "nextMs"> {
  items: InlineContextItem[];
  tokens: InlineTokens;
  nextMs: number | null;
}

/**
 * Reads the engine's answer. Prefix and suffix are cut out of the host's own text, so that not even unpaired surrogates
 * change.
 *
 * @param previous the suffix of the previous request; a reused suffix is its beginning
 */
export function resultOf(json: string, text: string, cursor: number, previous = ""): InlineContextResult {
  const { prefix, trailing, restOfLine, suffix, nextMs, items, ...answer } = JSON.parse(json) as Answer;
  const end = cursorOf(text, cursor);
  const start = end - trailing;
  return {
    context: items.map((item) => item.text).join(""),
    prefix: text.slice(start - prefix, start),
    trailing: text.slice(start, end),
    restOfLine: text.slice(end, end + restOfLine),
    suffix: (answer.isSuffixReused ? previous : suffixOf(text, end)).slice(0, suffix),
    ...answer,
    items,
    ...(nextMs !== null && { nextMs }),
  };
}

/** Returns the whole suffix of a document: it begins on the line after the cursor's, without white space. */
export function suffixOf(text: string, cursor: number): string {
  const feed = text.indexOf("\n", cursor);
  return feed < 0 ? "" : text.slice(feed).trimStart();
}

/** Returns a cursor within its text, and before a surrogate pair that it would split. */
export function cursorOf(text: string, cursor: number): number {
  const at = Math.min(cursor, text.length);
  const isInPair = at > 0 && isBetween(text.charCodeAt(at - 1), 0xd800) && isBetween(text.charCodeAt(at), 0xdc00);
  return isInPair ? at - 1 : at;
}

function isBetween(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
