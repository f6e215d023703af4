/** Folders that tests write, and what a source reports of them. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "node:test";
import type { FileNote, FileSource } from "../../../js/search/types.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Makes a folder that is removed after the test. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "espalier-sources-")));
  made.push(path);
  write(path, files);
  return path;
}

export function write(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Returns paths, and notes as "path: reason". */
export async function listed(
  source: FileSource,
): Promise<{ paths: string[]; notes: string[]; versions: Record<string, string> }> {
  const notes: string[] = [];
  const versions: Record<string, string> = Object.create(null);
  for await (const { path, version } of source.list({
    note: ({ path, reason }) => notes.push(`${path}: ${reason}`),
  })) {
    if (Object.hasOwn(versions, path)) throw new Error(`${path} is listed twice`);
    versions[path] = version;
  }
  return { paths: Object.keys(versions).sort(), notes: notes.sort(), versions };
}

/** Returns the text of a file, or the reason why there is none. */
export async function text(source: FileSource, path: string): Promise<string> {
  const found = await source.read(path);
  return "text" in found ? found.text : `(${(found as FileNote).reason})`;
}

export async function until(isDone: () => boolean, what: string): Promise<void> {
  for (let step = 0; !isDone(); step++) {
    if (step > 500) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
