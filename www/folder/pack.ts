/** A folder as one file: each line is a text with its path, or a path with the reason why it is left out. */

import type { FileNote, FileSource } from "../../js/search/types.ts";

type Line = { path: string; text: string; version: string } | FileNote;

/** Returns undefined if the file has more than `maxBytes`. */
export async function packed(source: FileSource, maxBytes: number): Promise<Blob | undefined> {
  const lines: Blob[] = [];
  let bytes = 0;
  const add = (line: Line) => {
    const blob = new Blob([`${JSON.stringify(line)}\n`]);
    bytes += blob.size;
    lines.push(blob);
  };
  for await (const { path } of source.list({ note: add })) {
    add({ path, ...(await source.read(path)) });
    if (bytes > maxBytes) return undefined;
  }
  return new Blob(lines);
}

export async function unpacked(file: Blob): Promise<FileSource> {
  const text = await file.text();
  const lines = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return storedSource(lines);
}

/** Returns the source of files that are in memory. */
export function storedSource(lines: readonly Line[]): FileSource {
  const byPath = new Map(lines.map((line) => [line.path, line]));
  return {
    *list({ note }) {
      for (const line of lines) {
        if ("text" in line) yield { path: line.path, version: line.version, size: line.text.length };
        else note(line);
      }
    },
    read: async (path) => byPath.get(path) ?? { path, reason: "gone" },
  };
}
