/**
 * Counts, encodes and cuts texts: calls `core/src/tokens` with few and cheap crossings.
 *
 * Text is written into a buffer of the engine with `encodeInto`, long text in chunks, so that a string of 200 MB needs
 * no copy of 600 MB. Counts of texts of 16 units and more are cached, up to 8 MB of text.
 */

import { call, onFreshInstance, wasm } from "../engine/engine.ts";
import type { Wasm } from "../engine/engine.ts";
import { plain } from "../options/data.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import type { EncodingName } from "../types/count.ts";
import type { Estimate, Estimator, Prediction } from "../types/generated/count.ts";
import { ensureEncoding } from "../engine/vocabulary.ts";
import { check, need } from "../options/check.ts";
import * as kinds from "../options/kinds.ts";
import { ESTIMATE, TEXT } from "../options/schemas/texts.ts";

export type { Estimate, Estimator, Prediction } from "../types/generated/count.ts";

/** Names of encodings in the order of the engine's numbers. */
const ENCODINGS: readonly EncodingName[] = ["o200k_base", "cl100k_base"];
/**
 * Bytes of the input buffer, UTF-16 units of a chunk (at most three bytes each), and the padding after each text of a
 * batch.
 */
const ROOM = 131_072;
const CHUNK = 32_768;
const PADDING = 24;

/** Where a text was cut, in UTF-16 code units, and the tokens of the kept part. */
export interface Fit {
  offset: number;
  tokens: number;
}

const encoder = new TextEncoder();
let owner: Wasm | undefined;
let view: Uint8Array = new Uint8Array();

onFreshInstance(() => {
  owner = undefined;
});

/** Returns the input buffer, with room for `length` bytes. Fetches it again whenever the engine's memory has moved. */
function inputBuffer(length: number): Uint8Array {
  const live = wasm();
  if (owner !== live || view.byteLength < length) {
    // A view has no length once its memory has grown.
    view = live.inputView(Math.max(length, ROOM));
    owner = live;
  }
  return view;
}

/** Returns the engine's number for an encoding. */
function numberOf(name: EncodingName): number {
  ensureEncoding(name);
  const number = ENCODINGS.indexOf(name);
  // The engine throws for an unknown name.
  if (number < 0) call(() => wasm().hasEncoding(name));
  return number;
}

function needString(text: unknown, path: string): asserts text is string {
  if (typeof text === "string") return;
  throw new EspalierError({
    code: "bad_input",
    message: `${path} must be a string, and is ${text === null ? "null" : typeof text}`,
    path,
  });
}

// ---------------------------------------------------------------- the cache

/** Counts by text, oldest first. The limit is on the length of the texts, since a megabyte is one entry too. */
class Cache {
  private readonly counts = new Map<string, number>();
  private units = 0;
  private readonly most: number;

  /** `most` is in UTF-16 units. */
  constructor(most: number) {
    this.most = most;
  }

  get(text: string): number | undefined {
    const count = this.counts.get(text);
    if (count !== undefined) {
      // Moves a used entry to the end.
      this.counts.delete(text);
      this.counts.set(text, count);
    }
    return count;
  }

  set(text: string, count: number): void {
    if (text.length > this.most / 4) return;
    if (!this.counts.has(text)) this.units += text.length;
    this.counts.set(text, count);
    for (const old of this.counts.keys()) {
      if (this.units <= this.most) break;
      this.counts.delete(old);
      this.units -= old.length;
    }
  }

  clear(): void {
    this.counts.clear();
    this.units = 0;
  }
}

/** 8 MB of two-byte units, for both encodings together. */
const caches = ENCODINGS.map(() => new Cache(2_000_000));
/** Counting a shorter text is faster than looking it up. */
const SHORT = 16;

/** Clears the cache of counts. */
export function clearCache(): void {
  for (const cache of caches) cache.clear();
}

// ---------------------------------------------------------------- counting

/** Returns the tokens of a text. `name` must be the name of an encoding. */
export function countText(text: string, name: EncodingName = "o200k_base"): number {
  needString(text, "text");
  const encoding = numberOf(name);
  const cache = caches[encoding];
  if (text.length < SHORT || !cache) return fresh(text, encoding);
  const known = cache.get(text);
  if (known !== undefined) return known;
  const count = fresh(text, encoding);
  cache.set(text, count);
  return count;
}

/**
 * Returns the tokens of many texts, in as few crossings as the buffer allows.
 *
 * @throws EspalierError `bad_input` with the path of an item that is not a string, `encoding_not_loaded`,
 *   `unknown_encoding`
 */
export function countBatch(texts: readonly string[], options: { encoding?: EncodingName } = {}): number[] {
  const { encoding: name = "o200k_base" } = check(options, TEXT);
  if (!Array.isArray(texts))
    throw new EspalierError({ code: "bad_input", message: "countBatch needs an array of strings", path: "texts" });
  const encoding = numberOf(name);
  const cache = caches[encoding];
  const counts = new Array<number>(texts.length).fill(0);
  let waiting: number[] = [];
  let lengths: number[] = [];
  let end = 0;
  const flush = () => {
    if (waiting.length === 0) return;
    const counted = call(() => wasm().countBufferBatch(encoding, new Uint32Array(lengths)));
    waiting.forEach((at, index) => {
      counts[at] = counted[index] ?? 0;
      const text = texts[at] as string;
      if (text.length >= SHORT) cache?.set(text, counts[at] as number);
    });
    waiting = [];
    lengths = [];
    end = 0;
  };
  for (const [at, text] of texts.entries()) {
    needString(text, `texts[${at}]`);
    const known = text.length < SHORT ? undefined : cache?.get(text);
    if (known !== undefined) {
      counts[at] = known;
    } else if (text.length > CHUNK) {
      flush();
      counts[at] = fresh(text, encoding);
      cache?.set(text, counts[at] as number);
    } else {
      if (end + text.length * 3 + PADDING > ROOM) flush();
      const written = encoder.encodeInto(text, inputBuffer(ROOM).subarray(end)).written;
      waiting.push(at);
      lengths.push(written);
      end += written + PADDING;
    }
  }
  flush();
  return counts;
}

function fresh(text: string, encoding: number): number {
  if (text.length <= CHUNK) {
    const { written } = encoder.encodeInto(text, inputBuffer(text.length * 3));
    return call(() => wasm().countBuffer(encoding, written));
  }
  return call(() => inChunks(text, encoding));
}

function inChunks(text: string, encoding: number): number {
  const live = wasm();
  let [at, carried, total] = [0, 0, 0];
  try {
    for (;;) {
      let end = Math.min(text.length, at + CHUNK);
      // Keeps a surrogate pair together.
      if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
      const chunk = text.slice(at, end);
      // A long text without a place to cut is carried along; doubling the buffer limits the number of copies.
      const needed = carried + chunk.length * 3;
      const buffer = inputBuffer(needed > view.byteLength ? Math.max(needed, 2 * view.byteLength) : needed);
      const length = carried + encoder.encodeInto(chunk, buffer.subarray(carried)).written;
      at = end;
      if (at === text.length) return total + live.countBuffer(encoding, length);
      total += live.countChunk(encoding, length);
      carried = live.carried();
    }
  } finally {
    if (view.byteLength > 8 * ROOM) {
      live.releaseInput();
      owner = undefined;
    }
  }
}

// ---------------------------------------------------------------- encoding and cutting

/** Options for encoding a text. */
export interface TextOptions {
  /** Default `o200k_base`. */
  encoding?: EncodingName;
}

/**
 * Returns the token ids of a text. Text that looks like a special token counts as text.
 *
 * @throws EspalierError `encoding_not_loaded`, `unknown_encoding`
 */
export function encode(text: string, options: TextOptions = {}): Uint32Array {
  needString(text, "text");
  const encoding = encodingOf(options);
  return call(() => wasm().encode(text, encoding));
}

/**
 * Returns the text of token ids. Bytes that are not valid text (half a character) become U+FFFD.
 *
 * @throws EspalierError `bad_input` with the path of an id that the encoding does not have
 */
export function decode(ids: Uint32Array | readonly number[], options: TextOptions = {}): string {
  const encoding = encodingOf(options);
  if (!(ids instanceof Uint32Array) && !Array.isArray(ids))
    throw new EspalierError({ code: "bad_input", message: "decode needs a list of ids", path: "ids" });
  const list =
    ids instanceof Uint32Array ? ids : Uint32Array.from(ids, (id, at) => needWhole(id, `ids[${at}]`, 0xffffffff));
  return call(() => wasm().decode(list, encoding));
}

/**
 * Returns the end offset of each token of a text, in UTF-16 code units. For an end inside a character it is that
 * character's start.
 */
export function tokenOffsets(text: string, options: TextOptions = {}): Uint32Array {
  needString(text, "text");
  const encoding = encodingOf(options);
  return call(() => wasm().tokenOffsets(text, encoding));
}

/**
 * Returns the longest prefix of a text within `most` tokens: `text.slice(0, offset)`, which has `tokens` tokens. If
 * more than 256 bytes follow without a space or punctuation, a few more characters may fit.
 *
 * @throws EspalierError `bad_option` if `most` is not a whole number
 */
export function prefixWithin(text: string, most: number, options: TextOptions = {}): Fit {
  needString(text, "text");
  const encoding = encodingOf(options);
  return call(() => wasm().prefixWithin(text, needWhole(most, "most"), encoding) as Fit);
}

/**
 * Returns a long suffix of a text within `most` tokens: `text.slice(offset)`, which has `tokens` tokens. A few more
 * characters may fit.
 */
export function suffixWithin(text: string, most: number, options: TextOptions = {}): Fit {
  needString(text, "text");
  const encoding = encodingOf(options);
  return call(() => wasm().suffixWithin(text, needWhole(most, "most"), encoding) as Fit);
}

/** Checks a number, because wasm accepts any number silently. */
function needWhole(value: unknown, path: string, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw badOption("", "a whole number, 0 or more", value, path);
}

function encodingOf(options: TextOptions): EncodingName {
  const { encoding = "o200k_base" } = check(options, TEXT);
  ensureEncoding(encoding);
  return encoding;
}

// ---------------------------------------------------------------- estimates and calibration

/** Estimates the tokens of a text. The default rule scales up exact counts of three windows of 4,096 units. */
export function estimate(text: string, options: TextOptions & { rule?: Estimator } = {}): Estimate {
  needString(text, "text");
  const { rule = "sample", ...others } = check(options, ESTIMATE);
  const encoding = encodingOf(others);
  return call(() => wasm().estimate(text, encoding, rule) as Estimate);
}

/**
 * Returns the state with only its newest point: a prediction needs no other, and reading them takes most of its time.
 */
function newestOnly(state: unknown): unknown {
  const { points } = (state ?? {}) as { points?: unknown };
  return Array.isArray(points) && points.length > 1 ? { ...(state as object), points: points.slice(-1) } : state;
}

/**
 * Learns how a provider counts from its reports, so that counts can be predicted in the provider's own tokens.
 *
 * ```ts
 * import { countMessages } from "espalier";
 * import { Calibration } from "espalier/tokens";
 *
 * const messages = [{ role: "user", content: "Why does the build fail?" }];
 * const calibration = new Calibration("claude-sonnet-4-6");
 * const { total } = countMessages(messages, { format: "anthropic" });
 * calibration.sent({ id: "1", tokens: total });
 * calibration.reported({ id: "1", tokens: 2 * total }); // `usage.input_tokens` of the reply
 * const { tokens, bound } = calibration.predict(1_000);
 * tokens > 1_000; // => true
 * ```
 */
export class Calibration {
  /** Keeps the name when the file is minified. */
  static readonly name: string = "Calibration";
  /** Plain data: store it, and pass it to the constructor after a restart. */
  state: unknown;
  readonly model: string;

  /** @throws EspalierError `bad_option` if `model` is not text, `bad_input` if `state` is not plain data */
  constructor(model: string, state?: unknown) {
    needModel(model);
    this.model = model;
    this.state = plain(state, "state", "bad_input");
  }

  /**
   * Starts from a factor that was learned before (see {@link Calibration.factor}); store it for each model. A factor
   * below 0.5 or above 2.5 is ignored.
   */
  static withFactor(model: string, factor: number): Calibration {
    needModel(model);
    if (typeof factor !== "number")
      throw new EspalierError({
        code: "bad_option",
        message: `factor must be a number, and is ${typeof factor}`,
        path: "factor",
      });
    return calibrationOf(
      model,
      call(() => wasm().calibrationFrom(model, factor)),
    );
  }

  /** The provider's tokens for each of ours: assumed at first, then learned. */
  get factor(): number {
    return call(() => wasm().calibratedFactor(this.state, this.model));
  }

  /**
   * Records a request. `frame` is any value that changes when the system prompt or the tools do.
   *
   * @throws EspalierError `bad_input` (`bad_option` for numbers) with the path of the field; nothing is recorded then
   */
  sent(request: { id: string; tokens: number; model?: string; frame?: string }): void {
    need(request, kinds.required(kinds.object), "request");
    const { model = this.model, frame } = request;
    for (const [name, value] of Object.entries({ model, frame }))
      if (value !== undefined) needString(value, `request.${name}`);
    const sent = { ...checkReport(request, "request"), model, frame };
    this.state = call(() => wasm().calibrationSent(this.state, this.model, sent));
  }

  /**
   * Learns from the provider's count of a request's prompt. Reports of requests that were not recorded are ignored.
   *
   * @throws EspalierError `bad_input` (`bad_option` for numbers) with the path of the field; nothing is learned then
   */
  reported(report: { id: string; tokens: number }): "used" | "ignored" | "setAside" | "restarted" {
    need(report, kinds.required(kinds.object), "report");
    const { id, tokens } = checkReport(report, "report");
    type Reported = [state: unknown, outcome: "used" | "ignored" | "setAside" | "restarted"];
    const [state, outcome] = call(() => wasm().calibrationReported(this.state, this.model, id, tokens) as Reported);
    this.state = state;
    return outcome;
  }

  /** Predicts the provider's count for our count of `tokens`. */
  predict(tokens: number): Prediction {
    const counted = needWhole(tokens, "tokens");
    return call(() => wasm().predict(newestOnly(this.state), this.model, counted) as Prediction);
  }
}

// Outside of the class: bundlers rename a class that refers to itself by name.
function calibrationOf(model: string, state: unknown): Calibration {
  return new Calibration(model, state);
}

function needModel(model: unknown): void {
  if (typeof model !== "string") throw badOption("", "the name of a model", model, "model");
}

/** Checks the id and the number of tokens of one request. */
function checkReport({ id, tokens }: { id: string; tokens: number }, path: string): { id: string; tokens: number } {
  needString(id, `${path}.id`);
  return { id, tokens: needWhole(tokens, `${path}.tokens`) };
}
