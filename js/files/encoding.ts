/** Tells from its first bytes how a file is encoded or compressed. */

/** The encoding of a text: UTF-16 has a byte order mark, as Windows PowerShell 5 writes it. */
export function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** First bytes of compressed files, the name of the format, and a command that unpacks them to standard output. */
const COMPRESSED: readonly (readonly [magic: readonly number[], name: string, command: string])[] = [
  [[0x1f, 0x8b], "gzip", "gunzip -c"],
  [[0x28, 0xb5, 0x2f, 0xfd], "zstd", "zstd -dc"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz", "xz -dc"],
  [[0x42, 0x5a, 0x68], "bzip2", "bunzip2 -c"],
  [[0x50, 0x4b, 0x03, 0x04], "zip", "unzip -p"],
];

/** Returns the format of a compressed file and the command that unpacks it; `undefined` for other files. */
export function compressionOf(bytes: Uint8Array): { name: string; command: string } | undefined {
  const found = COMPRESSED.find(([magic]) => magic.every((byte, at) => bytes[at] === byte));
  return found && { name: found[1], command: found[2] };
}

/** True for a SQLite database, in which several agents keep their sessions. */
export function isDatabase(bytes: Uint8Array): boolean {
  return [..."SQLite format 3\0"].every((character, at) => bytes[at] === character.charCodeAt(0));
}

/** What to do with a database: the end of a sentence about it. */
export const DATABASE =
  "is a SQLite database, which is not read; export the session from it (opencode export, goose session export, …)";
