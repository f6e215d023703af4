/** Reads the text of a file that the user chose, if it is text. */

import type { Failed } from "../talk.ts";

/** Max characters: a larger text area is slow to use. The library takes larger texts, and folds them by indentation. */
const MAX_BYTES = 2_000_000;
/** Bytes at the beginning in which binary files are recognised. */
const BEGINNING = 8_000;

/**
 * Rejects with {@link Failed}. Reads UTF-8; UTF-16 with a byte order mark; any other text as Windows-1252, in which
 * every byte is a character.
 */
export async function textOfFile(file: File, most = MAX_BYTES): Promise<string> {
  const megabytes = (size: number) => `${(size / 1e6).toFixed(1)} MB`;
  if (file.size > most)
    throw bad(
      "too_large",
      `${file.name} has ${megabytes(file.size)}, and this view shows up to ${megabytes(most)}. The library itself takes any size.`,
    );
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    throw bad("file_not_found", `${file.name} cannot be read: ${(error as Error).message}`);
  }
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  if (mark === 0xfffe || mark === 0xfeff)
    return new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes);
  if (bytes.subarray(0, BEGINNING).includes(0))
    throw bad("binary_file", `${file.name} is a binary file: there is no text in it.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const bad = (code: string, message: string): Failed => ({ code, message });
