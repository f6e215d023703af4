/** Requests and results as they cross: texts in lists, numbers in arrays, results as JSON. */

import { badOption as bad, EspalierError } from "../errors/errors.ts";
import { known } from "../options/known.ts";
import { INLINE_EDIT, INLINE_FILE, INLINE_ITEM } from "../options/names/inline-context.ts";
import type {
  InlineContextItem,
  InlineContextResult,
  InlineEdit,
  InlineFile,
  InlineItem,
  InlineTokens,
} from "./types.ts";

/** Beyond this, an offset is the end of its text. */
const MAX = 2 ** 31 - 1;
/** Between edits whose times the host does not know. */
const APART_MS = 60_000;

const KINDS = ["snippet", "trait", "diagnostic"];

/**
 * Checks a file.
 *
 * @throws EspalierError `bad_input` with the path of the field to blame
 */
export function fileOf(file: unknown, path: string): Required<InlineFile> {
  if (typeof file !== "object" || file === null) throw input(path, "a file: { path, text }", file);
  const {
    path: name,
    text,
    language = "",
    scheme = "file",
    focusedMs = NaN,
  } = known(file as InlineFile, INLINE_FILE, path);
  for (const [field, value] of Object.entries({ path: name, text, language, scheme })) {
    if (typeof value !== "string") throw input(`${path}.${field}`, "a text", value);
  }
  if (typeof focusedMs !== "number") throw input(`${path}.focusedMs`, "a time", focusedMs);
  return { path: name, text, language, scheme, focusedMs };
}

/** Neighbour files: four texts for each, and when each had the focus. */
export function filesOf(files: readonly InlineFile[], path: string): [texts: string[], focused: Float64Array] {
  const all = list(files, path).map((file, index) => fileOf(file, `${path}[${index}]`));
  const texts = all.flatMap((file) => [file.path, file.language, file.scheme, file.text]);
  return [texts, Float64Array.from(all, ({ focusedMs }) => focusedMs)];
}

/**
 * Checks an item.
 *
 * @throws EspalierError `bad_input` with the path of the field to blame
 */
export function checkItem(item: unknown, path: string): asserts item is InlineItem {
  if (typeof item !== "object" || item === null) throw input(path, "an item: { id, text }", item);
  const {
    id,
    text,
    kind,
    path: of,
    priority,
    weight,
    arrivedMs,
    isForTimeout,
  } = known(item as InlineItem, INLINE_ITEM, path);
  if (typeof id !== "string") throw input(`${path}.id`, "a text", id);
  if (typeof text !== "string") throw input(`${path}.text`, "a text", text);
  if (kind !== undefined && !KINDS.includes(kind)) throw input(`${path}.kind`, "snippet, trait or diagnostic", kind);
  if (of !== undefined && typeof of !== "string") throw input(`${path}.path`, "a text", of);
  if (isForTimeout !== undefined && typeof isForTimeout !== "boolean")
    throw input(`${path}.isForTimeout`, "true or false", isForTimeout);
  for (const [field, value] of Object.entries({ priority, weight })) {
    if (value !== undefined && (typeof value !== "number" || Number.isNaN(value)))
      throw input(`${path}.${field}`, "a number", value);
  }
  if (arrivedMs !== undefined && arrivedMs !== "pending" && !(typeof arrivedMs === "number" && arrivedMs >= 0)) {
    throw input(`${path}.arrivedMs`, 'a time, 0 or more, or "pending"', arrivedMs);
  }
}

/** Items: three texts and four numbers for each. */
export function itemsOf(items: readonly InlineItem[], path: string): [texts: string[], numbers: Float64Array] {
  const texts: string[] = [];
  const numbers = new Float64Array(4 * list(items, path).length);
  items.forEach((item, index) => {
    checkItem(item, `${path}[${index}]`);
    texts.push(item.id, item.path ?? "", item.text);
    const arrived = item.arrivedMs === "pending" ? NaN : (item.arrivedMs ?? 0);
    numbers.set([KINDS.indexOf(item.kind ?? "snippet"), item.priority ?? 0.7, item.weight ?? 1, arrived], 4 * index);
  });
  return [texts, numbers];
}

/** Edits: three texts for each, and when each happened. */
export function editsOf(edits: readonly InlineEdit[], path: string): [texts: string[], times: Float64Array] {
  const texts: string[] = [];
  const times = new Float64Array(list(edits, path).length);
  let last = 0;
  edits.forEach((edit, index) => {
    const at = `${path}[${index}]`;
    if (typeof edit !== "object" || edit === null) throw input(at, "an edit: { path, before, after }", edit);
    const { path: name, before, after, atMs = last + APART_MS } = known(edit, INLINE_EDIT, at);
    for (const [field, value] of Object.entries({ path: name, before, after })) {
      if (typeof value !== "string") throw input(`${at}.${field}`, "a text", value);
    }
    times[index] = last = timeOf(atMs, `${at}.atMs`);
    texts.push(name, before, after);
  });
  return [texts, times];
}

/** Checks a time: a number, 0 or more. */
export function timeOf(value: unknown, path: string): number {
  if (typeof value !== "number" || !(value >= 0)) throw input(path, "a time, 0 or more", value);
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

/** Checks an offset: a whole number. One below 0 is the beginning. */
export function offsetOf(value: unknown, path: string): number {
  if (typeof value !== "number" || (!Number.isInteger(value) && Math.abs(value) !== Infinity))
    throw input(path, "a whole number", value);
  return Math.max(0, Math.min(value, MAX));
}

/** Path and language of a document, and the excluded paths. */
export function documentOf(
  file: Required<InlineFile>,
  excluded: readonly string[] | undefined,
  path: string,
): string[] {
  list(excluded ?? [], path).forEach((one, index) => {
    if (typeof one !== "string") throw input(`${path}[${index}]`, "a path", one);
  });
  return [file.path, file.language, ...(excluded ?? [])];
}

export function input(path: string, wanted: string, value: unknown): EspalierError {
  const { message } = bad("", wanted, value, path);
  return new EspalierError({ code: "bad_input", message, path });
}

function list<T>(value: readonly T[], path: string): readonly T[] {
  if (!Array.isArray(value)) throw input(path, "a list", value);
  return value;
}

/** The engine's answer: prefix, trailing and suffix are lengths. */
interface Answer
  extends Omit<InlineContextResult, "prefix" | "trailing" | "suffix" | "context" | "items" | "tokens" | "nextMs"> {
  prefix: number;
  trailing: number;
  suffix: number;
  items: InlineContextItem[];
  tokens: InlineTokens;
  nextMs: number | null;
}

/**
 * Reads the engine's answer. Prefix and suffix are cut out of the host's own text, so that not even unpaired surrogates
 * change.
 *
 * @param previous the suffix of the request before, of which a reused one is the beginning
 */
export function resultOf(json: string, text: string, cursor: number, previous = ""): InlineContextResult {
  const { prefix, trailing, suffix, nextMs, items, ...answer } = JSON.parse(json) as Answer;
  const end = cursorOf(text, cursor);
  const start = end - trailing;
  return {
    context: items.map((item) => item.text).join(""),
    prefix: text.slice(start - prefix, start),
    trailing: text.slice(start, end),
    suffix: (answer.isSuffixReused ? previous : suffixOf(text, end)).slice(0, suffix),
    ...answer,
    items,
    ...(nextMs !== null && { nextMs }),
  };
}

/** The whole suffix of a document: it begins on the line behind the cursor's, without white space. */
export function suffixOf(text: string, cursor: number): string {
  const feed = text.indexOf("\n", cursor);
  return feed < 0 ? "" : text.slice(feed).trimStart();
}

/** A cursor within its text, and before a surrogate pair that it would split. */
export function cursorOf(text: string, cursor: number): number {
  const at = Math.min(cursor, text.length);
  const isInPair = at > 0 && isBetween(text.charCodeAt(at - 1), 0xd800) && isBetween(text.charCodeAt(at), 0xdc00);
  return isInPair ? at - 1 : at;
}

function isBetween(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}
