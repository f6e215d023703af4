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
 * @param name the name of the engine's file
 * @param engine where the engine is, relative to `here`: a literal `new URL("./…", import.meta.url)`, since bundlers
 *   follow those; called only if `here` is known, as `vocabulary`
 */
export function fetchFiles(name: string, here: Here, engine: () => URL, vocabulary: (name: EncodingName) => URL): void {
  const own = ownAddress(here);
  const known = own ?? scriptAddress();
  setAsyncLoader(async () => {
    if (!known)
      throw wasmNotFound(
        "This bundle does not know where it is (import.meta.url is empty), so that the wasm beside it cannot be fetched",
      );
    await initFrom(own ? engine() : new URL(`${name}.wasm`, known));
  });
  if (known) setVocabularyLocator(own ? vocabulary : (encoding) => new URL(`vocab/${encoding}.vocab`, known));
}

/** Returns the address of the entry or, in a classic script, of that script. */
export function addressFrom(here: Here): string | undefined {
  return ownAddress(here) ?? scriptAddress();
}

/**
 * Returns the address of the entry. It is undefined in CommonJS: esbuild leaves `import.meta` empty, and Rollup asks
 * Node's `url` for it, which throws in an extension for the web.
 */
function ownAddress(here: Here): string | undefined {
  try {
    return here();
  } catch {
    return undefined;
  }
}

/** Returns the address of the classic script that runs: esbuild makes such scripts for pages, unless told otherwise. */
function scriptAddress(): string | undefined {
  const { document } = globalThis as { document?: { currentScript?: { src?: string } | null } };
  return document?.currentScript?.src || undefined;
}
