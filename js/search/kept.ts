/** Texts from `put`, as a source: hits are shown from them, and the index is rebuilt from them after a crash. */

import type { FileNote, FileSource, ListedFile, SearchDefinition } from "./types.ts";

export interface KeptFile {
  text: string;
  version: string;
  definitions?: readonly SearchDefinition[] | undefined;
}

export class KeptTexts implements FileSource {
  readonly files = new Map<string, KeptFile>();

  *list(): Iterable<ListedFile> {
    for (const [path, { version }] of this.files) yield { path, version };
  }

  async read(path: string): Promise<KeptFile | FileNote> {
    return this.files.get(path) ?? { path, reason: "gone" };
  }
}
