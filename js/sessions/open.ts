/** Opens session files: reads the beginning, recognises the layout, and passes every line to its reader. */

import { badOption } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { READ_SESSION } from "../options/schemas/sessions.ts";
import { gluedRecords } from "./glued.ts";
import { finish, pick } from "./finish.ts";
import { READERS } from "./readers.ts";
import type { Reader, Reading, Sample, Shape } from "./reader.ts";
import { Lines, texts, wholeText } from "./source.ts";
import type { ReadSessionOptions, Session, SessionProblem, SessionSource } from "./types.ts";
import { noLayout, notJson } from "./unknown.ts";

/** Max lines and characters that are read before the layout is decided. */
const HEAD = { lines: 1_000, characters: 8_000_000 };

/**
 * Reads a session file of another agent from a text or from bytes.
 *
 * ```ts
 * import { readSession } from "espalier/sessions";
 *
 * const file = [
 *   '{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"Why does the build fail?"}}',
 *   '{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"A comma is missing."}]}}',
 * ].join("\n");
 * const session = readSession(file);
 * session.layout; // => "claude-code"
 * session.messages.length; // => 2
 * ```
 *
 * @throws EspalierError `unknown_session` if no layout fits, `no_conversation` if the file is known and contains none,
 *   `several_sessions` if it contains several and `conversation` is absent, `bad_json`, `bad_input`, `bad_option`,
 *   `binary_file` for compressed bytes and databases
 */
export function readSession(source: string | Uint8Array, options: ReadSessionOptions = {}): Session {
  const opening = new Opening(options);
  opening.add(wholeText(source));
  return opening.end();
}

/**
 * Reads a session file of another agent from any source. JSON Lines are read piece by piece: memory holds the messages,
 * not the file.
 *
 * ```ts
 * import { openSession } from "espalier/sessions";
 *
 * const file = new Blob(['{"type":"session","version":3,"id":"s","cwd":"/srv"}\n', '{"type":"message","message":{"role":"user","content":"Hi"}}\n']);
 * const session = await openSession(file.stream());
 * session.tool; // => "pi"
 * ```
 *
 * @throws EspalierError the errors of {@link readSession}
 */
export async function openSession(source: SessionSource, options: ReadSessionOptions = {}): Promise<Session> {
  const opening = new Opening(options);
  for await (const piece of texts(source)) opening.add(piece);
  return opening.end();
}

/** A file whose pieces arrive one after the other. */
class Opening {
  readonly #options: ReadSessionOptions;
  readonly #lines = new Lines();
  readonly #problems: SessionProblem[] = [];
  /** The beginning, until the layout is known; all of a single JSON value. */
  #head: string[] = [];
  #size = 0;
  /** Number of lines of the beginning that are not blank. */
  #filled = 0;
  #line = 0;
  #isValue = false;
  #read: { reader: Reader; evidence: string; reading: Reading; shape: Shape } | undefined;

  constructor(options: ReadSessionOptions) {
    const { layout } = check(options, READ_SESSION);
    if (layout !== undefined && !READERS.some((reader) => reader.layout === layout)) {
      throw badOption("layout", `one of ${READERS.map((reader) => reader.layout).join(", ")}`, layout);
    }
    this.#options = options;
  }

  add(piece: string): void {
    for (const line of this.#lines.add(piece)) this.#take(line);
  }

  end(): Session {
    const rest = this.#lines.end();
    if (rest !== undefined) this.#take(rest, true);
    if (!this.#read) this.#decide(true);
    const { reader, evidence, reading } = this.#read!;
    const draft = pick(reading.end(), reader, this.#options);
    return finish(draft, reader, evidence, this.#problems, this.#options);
  }

  #take(line: string, isLast = false): void {
    this.#line += 1;
    if (this.#read) return this.#pass(line, this.#line, isLast);
    this.#head.push(line);
    if (this.#isValue) return;
    this.#size += line.length;
    if (line.trim() !== "") this.#filled += 1;
    // A single line may be the whole file, as one JSON value: only a second line, or the end, decides.
    const isEnough = this.#head.length >= HEAD.lines || this.#size >= HEAD.characters;
    if (isEnough && this.#filled > 1 && !isLast) this.#decide(false);
  }

  #decide(isWhole: boolean): void {
    const head = this.#head;
    const shape = this.#isValue ? "value" : shapeOf(head, isWhole);
    if (shape === "value" && !isWhole) {
      this.#isValue = true;
      return;
    }
    const { name } = this.#options;
    const samples =
      shape === "text" ? [{ shape, records: head }] : shape === "lines" ? [sampleOf(head)] : valueSamples(head, name);
    const found = this.#recognise(samples);
    if (!found) throw noLayout(samples[0]!, name);
    const { reader, evidence, sample } = found;
    this.#read = {
      reader,
      evidence: isWhole ? evidence : `${evidence}, among the first lines`,
      reading: reader.read(sample, { keepsHistory: this.#options.history !== false }),
      shape: sample.shape,
    };
    this.#head = [];
    if (sample.shape === "value") this.#read.reading.add(sample.records[0], 0);
    else head.forEach((line, at) => this.#pass(line, at + 1, isWhole && at === head.length - 1));
  }

  #recognise(samples: readonly Sample[]): { reader: Reader; evidence: string; sample: Sample } | undefined {
    const { layout } = this.#options;
    if (layout !== undefined) {
      const reader = READERS.find((one) => one.layout === layout)!;
      const sample = samples.find(({ shape }) => reader.shapes.includes(shape));
      return sample && { reader, evidence: "the option layout", sample };
    }
    let best: { reader: Reader; evidence: string; sample: Sample; count: number } | undefined;
    for (const sample of samples) {
      for (const reader of READERS) {
        const match = reader.shapes.includes(sample.shape) ? reader.recognise(sample) : undefined;
        if (match && match.count > (best?.count ?? 0)) best = { reader, sample, ...match };
      }
    }
    return best;
  }

  #pass(line: string, place: number, isLast: boolean): void {
    const { reading, shape } = this.#read!;
    if (shape === "text") return reading.add(line, place);
    if (line.trim() === "" || reading.passes?.(line)) return;
    const value = parsed(line);
    if (value !== undefined) return reading.add(value, place);
    // The last line may be torn anywhere, so an object at its end is no record.
    const glued = isLast ? undefined : gluedRecords(line);
    // The parser's message would quote the line, which may contain secrets.
    if (isLast) this.#note(place, "the last line is incomplete, as in a file that is still being written");
    else if (!glued) this.#note(place, "the line is not JSON; it is left out");
    else if (glued.isTorn) this.#note(place, "the line begins with an incomplete record, which is left out");
    for (const record of glued?.records ?? []) reading.add(record, place);
  }

  #note(line: number, message: string): void {
    this.#problems.push({ line, message });
  }
}

/** Returns the shape of a file, from its beginning. */
function shapeOf(head: readonly string[], isWhole: boolean): Shape {
  const lines = head.filter((line) => line.trim() !== "").slice(0, 5);
  const [first = "", ...more] = lines;
  if (!/^\s*[[{"]/.test(first)) return "text";
  if (parsed(first) !== undefined) return more.length === 0 && isWhole ? "value" : "lines";
  // The first line of a log without its beginning is torn; the first line of indented JSON is short, and so are the
  // others.
  const isTorn = more.some((line) => /^\{.{2,}\}\s*$/.test(line) && parsed(line) !== undefined);
  return isTorn ? "lines" : "value";
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function sampleOf(head: readonly string[]): Sample {
  return {
    shape: "lines",
    records: head.flatMap((line) => {
      const value = line.trim() === "" ? undefined : parsed(line);
      return value === undefined ? [] : [value];
    }),
  };
}

/** Returns samples of one JSON value, also as JSON Lines with a single line. */
function valueSamples(head: readonly string[], name: string | undefined): Sample[] {
  const whole = head.join("\n");
  let value: unknown;
  try {
    value = JSON.parse(whole);
    // Some exports are JSON within a JSON text.
    if (typeof value === "string" && /^\s*[[{]/.test(value)) value = JSON.parse(value);
  } catch {
    throw notJson(whole, name);
  }
  const isLine = head.filter((line) => line.trim() !== "").length === 1;
  return [{ shape: "value", records: [value] }, ...(isLine ? [{ shape: "lines" as const, records: [value] }] : [])];
}
