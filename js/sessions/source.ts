/** Yields the lines of any source, without holding all of it. */

import { isBytes } from "../files/bytes.ts";
import { DATABASE, compressionOf, encodingOf, isDatabase } from "../files/encoding.ts";
import { EspalierError } from "../errors/errors.ts";
import type { SessionSource } from "./types.ts";

/** Yields pieces of text; decodes incrementally, because a character may be split between pieces. */
export async function* texts(source: SessionSource): AsyncGenerator<string> {
  if (typeof source === "string") return yield source;
  let decoder: TextDecoder | undefined;
  for await (const piece of pieces(source)) {
    if (typeof piece !== "string" && !isBytes(piece)) throw badSource("its pieces are neither texts nor bytes");
    if (typeof piece !== "string" && piece.length > 0) decoder ??= decoderOf(piece);
    yield typeof piece === "string" ? piece : (decoder?.decode(piece, { stream: true }) ?? "");
  }
  if (decoder) yield decoder.decode();
}

function pieces(source: Exclude<SessionSource, string>): AsyncIterable<unknown> | Iterable<unknown> {
  if (isBytes(source)) return [source];
  if (typeof Blob === "function" && source instanceof Blob)
    return pieces(source.stream() as ReadableStream<Uint8Array>);
  if (typeof source === "object" && source !== null) {
    // Safari's streams are not iterable.
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return source as AsyncIterable<unknown>;
    if ("getReader" in source) return chunks(source as unknown as ReadableStream<Uint8Array>);
  }
  throw badSource("");
}

async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

function badSource(why: string): EspalierError {
  const wanted = "source must be a text, bytes, a Blob, a stream, or an iterable of texts or bytes";
  return new EspalierError({ code: "bad_input", message: why === "" ? wanted : `${wanted}; ${why}`, path: "source" });
}

/** Returns the text of a source that is available as a whole. */
export function wholeText(source: string | Uint8Array): string {
  if (typeof source === "string") return source;
  if (isBytes(source)) return decoderOf(source).decode(source);
  throw badSource("readSession needs it whole: use openSession for streams");
}

/**
 * Returns the decoder for a text that begins with these bytes: UTF-8, or UTF-16 with a byte order mark.
 *
 * @throws EspalierError `binary_file` for compressed bytes and databases
 */
function decoderOf(beginning: Uint8Array): TextDecoder {
  if (isDatabase(beginning))
    throw new EspalierError({ code: "binary_file", message: `source ${DATABASE}`, path: "source" });
  const compression = compressionOf(beginning);
  if (compression)
    throw new EspalierError({
      code: "binary_file",
      message: `source is compressed with ${compression.name}; pass the unpacked text or bytes`,
      path: "source",
    });
  return new TextDecoder(encodingOf(beginning));
}

/** Assembles pieces of text to lines, without their line ends `\n` and `\r\n`. */
export class Lines {
  #rest: string[] = [];
  #isFirst = true;

  /** Yields the lines that end in this piece. */
  *add(piece: string): Generator<string> {
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      yield this.#line(piece.slice(start, end));
      start = end + 1;
    }
    if (start < piece.length) this.#rest.push(piece.slice(start));
  }

  /** Returns the text after the last line end, if there is any. */
  end(): string | undefined {
    return this.#rest.length === 0 ? undefined : this.#line("");
  }

  #line(end: string): string {
    let line = this.#rest.length === 0 ? end : this.#rest.join("") + end;
    this.#rest = [];
    // PowerShell 5 begins files with a byte order mark.
    if (this.#isFirst) line = line.replace(/^\uFEFF/, "");
    this.#isFirst = false;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}
