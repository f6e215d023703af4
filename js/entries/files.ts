/** Files of the package beside the entry that is running (Node). */

import { readFileSync } from "node:fs";
import { setLoader, wasmNotFound } from "../engine.ts";
import { notFound, setVocabularyReader } from "../vocabulary.ts";

/**
 * The folder of this file. Filled in by the build, because ESM and CommonJS say it differently and bundlers move it.
 */
declare const ESPALIER_DIR: URL | string | undefined;

export function beside(file: string): URL | string {
  if (ESPALIER_DIR === undefined) return file;
  return typeof ESPALIER_DIR === "string" ? `${ESPALIER_DIR}/${file}` : new URL(file, ESPALIER_DIR);
}

/** Reads the engine and the vocabularies when they are first used. */
export function readEngine(wasm: string): void {
  setLoader(() => {
    const file = beside(wasm);
    try {
      return readFileSync(file);
    } catch (cause) {
      throw wasmNotFound(`The engine was not found at ${file}. A bundler moved this code: copy espalier/${wasm} beside the bundle`, cause);
    }
  });

  setVocabularyReader((name) => {
    const file = beside(`vocab/${name}.vocab`);
    try {
      return readFileSync(file);
    } catch (cause) {
      throw notFound(name, `${file} cannot be read`, cause);
    }
  });
}
