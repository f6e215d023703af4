/** Files of the package beside the entry that runs, fetched when an asynchronous call first needs them (browsers). */

import { initFrom, setAsyncLoader, wasmNotFound } from "../../engine/engine.ts";
import { setVocabularyLocator } from "../../engine/vocabulary.ts";
import type { EncodingName } from "../../types/count.ts";

/** Returns `import.meta.url` of an entry. */
export type Here = () => string | undefined;

/**
 * Fetches the engine and vocabularies when they are first needed.
 *
 * A bundle in CommonJS has no address of its own (extensions of VS Code for the web): its host brings the files.
 *
 * @param engine where the engine is, relative to `here`: a literal `new URL("./…", import.meta.url)`, since bundlers
 *   follow those; called only if `here` is known
 */
export function fetchFiles(here: Here, engine: () => URL, vocabulary: (name: EncodingName) => URL): void {
  const known = addressFrom(here);
  setAsyncLoader(async () => {
    if (!known)
      throw wasmNotFound(
        "This bundle does not know where it is (import.meta.url is empty), so that the wasm beside it cannot be fetched",
      );
    await initFrom(engine());
  });
  if (known) setVocabularyLocator(vocabulary);
}

/**
 * Returns the address of the entry. It is undefined in CommonJS: esbuild leaves `import.meta` empty, and Rollup asks
 * Node's `url` for it, which throws in an extension for the web.
 */
export function addressFrom(here: Here): string | undefined {
  try {
    return here();
  } catch {
    return undefined;
  }
}
