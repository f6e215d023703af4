/** Reads source files given on the command line. */

import { readFileSync } from "node:fs";
import { EspalierError } from "../entries/verbs.ts";

/** Bytes at the beginning in which binary files are recognised. */
const BEGINNING = 8_000;

export const isBinary = (bytes: Uint8Array) => bytes.subarray(0, BEGINNING).includes(0);

/** Returns the text of a file, or of standard input for `-`. */
export function readText(path: string): string {
  let bytes: Uint8Array & { toString(encoding: "utf8"): string };
  try {
    bytes = readFileSync(path === "-" ? 0 : path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "EISDIR" ? "it is a folder; espalier outline lists its definitions" : message;
    throw new EspalierError({ code: "file_not_found", message: `${path} cannot be read: ${why}`, cause });
  }
  if (isBinary(bytes)) throw new EspalierError({ code: "binary_file", message: `${path} is a binary file` });
  return bytes.toString("utf8");
}
