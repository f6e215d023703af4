/** Reads the files of the command line: UTF-8, or UTF-16 with a byte order mark. */

import { createReadStream, readFileSync } from "node:fs";
import { EspalierError } from "../entries/verbs.ts";
import { DATABASE, compressionOf, encodingOf, isDatabase } from "../files/encoding.ts";
import { reason } from "./files.ts";

/** Bytes at the beginning in which binary files are recognised. */
const BEGINNING = 8_000;

const isBinary = (bytes: Uint8Array) => encodingOf(bytes) === "utf-8" && bytes.subarray(0, BEGINNING).includes(0);

/**
 * Returns the text of a file, or of standard input for `-`.
 *
 * @throws EspalierError `file_not_found` if it cannot be read, `binary_file` if it has another encoding
 */
export function readText(path: string): string {
  return decoded(readBytes(path), path);
}

/** Returns the text of a file that is continued in UTF-8. */
export function readUtf8(path: string): string {
  return decoded(readBytes(path), path, new TextDecoder("utf-8", UTF_8));
}

/** Returns the text of a source file. */
export function readSource(path: string): string {
  const bytes = readBytes(path, "; espalier outline lists its definitions");
  if (isBinary(bytes)) throw new EspalierError({ code: "binary_file", message: `${path} is a binary file` });
  return decoded(bytes, path);
}

/** Returns the text of a source file, or why it is skipped in a folder. */
export function sourceText(bytes: Uint8Array): { text: string } | { why: string } {
  if (isBinary(bytes)) return { why: "binary" };
  try {
    return { text: decoderOf(bytes).decode(bytes) };
  } catch {
    return { why: "not UTF-8" };
  }
}

/** Yields the text of a file piece by piece. */
export async function* streamText(path: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>) {
      if (!decoder) refuseUnreadable(bytes, path);
      decoder ??= decoderOf(bytes);
      yield decode(decoder, path, bytes);
    }
  } catch (cause) {
    throw cause instanceof EspalierError ? cause : unreadable(path, cause);
  }
  if (decoder) yield decode(decoder, path);
}

function readBytes(path: string, hint?: string): Uint8Array {
  try {
    return readFileSync(path === "-" ? 0 : path);
  } catch (cause) {
    throw unreadable(path, cause, hint);
  }
}

function decoded(bytes: Uint8Array, path: string, decoder = decoderOf(bytes)): string {
  refuseUnreadable(bytes, path);
  return decode(decoder, path, bytes) + decode(decoder, path);
}

function refuseUnreadable(bytes: Uint8Array, path: string): void {
  if (isDatabase(bytes)) {
    const name = path === "-" ? "standard input" : path;
    throw new EspalierError({ code: "binary_file", message: `${name} ${DATABASE}` });
  }
  if (encodingOf(bytes) === "utf-8" && bytes.length > 1 && (bytes[0] === 0 || bytes[1] === 0)) {
    const name = path === "-" ? "standard input" : path;
    const message = `${name} looks like UTF-16 without a byte order mark; convert it to UTF-8 first`;
    throw new EspalierError({ code: "binary_file", message });
  }
  const compression = compressionOf(bytes);
  if (!compression) return;
  const { name, command: unpack } = compression;
  // Logs of Inspect AI are archives of many files, of which its own command makes one.
  const command = path.endsWith(".eval") ? "inspect log dump" : unpack;
  const message =
    path === "-"
      ? `standard input is compressed with ${name}; unpack it first, with ${command}`
      : `${path} is compressed with ${name}; unpack it first: ${command} ${path} | espalier … -`;
  throw new EspalierError({ code: "binary_file", message });
}

/** Decodes the next bytes; without bytes, ends the text. */
function decode(decoder: TextDecoder, path: string, bytes?: Uint8Array): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch (cause) {
    const name = path === "-" ? "standard input" : path;
    const encoding = decoder.encoding.toUpperCase();
    const message = `${name} is not ${encoding}; convert it to UTF-8 first`;
    throw new EspalierError({ code: "binary_file", message, cause });
  }
}

/** The mark of UTF-8 stays in the text, so that files are written back byte for byte. */
const UTF_8 = { fatal: true, ignoreBOM: true };

function decoderOf(bytes: Uint8Array): TextDecoder {
  const encoding = encodingOf(bytes);
  return new TextDecoder(encoding, encoding === "utf-8" ? UTF_8 : { fatal: true });
}

/** Returns the error for a file or folder that cannot be read; `hint`: what to do with a folder. */
export function unreadable(path: string, cause: unknown, hint?: string): EspalierError {
  const why = reason(path, cause as NodeJS.ErrnoException, hint);
  return new EspalierError({ code: "file_not_found", message: `${path} cannot be read: ${why}`, cause });
}
