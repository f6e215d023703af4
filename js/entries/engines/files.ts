/** Files of the package beside the entry that runs, read by Node, Deno and Bun when they are first used. */

import { readFileSync } from "node:fs";
import { setLoader, wasmNotFound } from "../../engine/engine.ts";
import { vocabularyNotFound, setVocabularyReader } from "../../engine/vocabulary.ts";
import type { EncodingName } from "../../types/count.ts";

/**
 * The URL or the folder of this file. The build fills it in, because ESM and CommonJS know it by different names.
 * It is undefined in a bundle that is neither.
 */
declare const ESPALIER_HERE: string | undefined;

/** Where a file of the package is, unless a bundler moved this code. */
export function beside(file: string): URL | string {
  if (ESPALIER_HERE === undefined) return file;
  return ESPALIER_HERE.includes("://") ? new URL(file, ESPALIER_HERE) : `${ESPALIER_HERE}${file}`;
}

/**
 * Reads the engine when it is first used.
 *
 * @param locate where it is: a literal `new URL("./…", import.meta.url)`, since bundlers follow those
 */
export function readEngine(locate: () => URL | string): void {
  setLoader(() => {
    const file = locate();
    try {
      return readFileSync(file);
    } catch (cause) {
      throw wasmNotFound(
        `The engine cannot be read at ${file}; if a bundler moved this code, copy the file there`,
        cause,
        refusal(cause),
      );
    }
  });
}

/** Reads vocabularies when they are first used. */
export function readVocabularies(locate: (name: EncodingName) => URL | string): void {
  setVocabularyReader((name) => {
    const file = locate(name);
    try {
      return readFileSync(file);
    } catch (cause) {
      throw vocabularyNotFound(name, `${file} cannot be read`, cause, refusal(cause));
    }
  });
}

/** What to do if the runtime forbids reading. Undefined for every other cause. */
export function refusal(cause: unknown): string | undefined {
  const { name, code } = (cause ?? {}) as { name?: unknown; code?: unknown };
  if (code === "ERR_ACCESS_DENIED")
    return "Node's permission model forbids it: pass --allow-fs-read with the folder of espalier.";
  // Deno's, before and since version 2.
  if (name === "NotCapable" || name === "PermissionDenied")
    return "Deno has no permission to read it: pass --allow-read.";
  if (code === "EACCES" || code === "EPERM") return "The operating system forbids it: let this user read the file.";
  return undefined;
}
