/** Browsers and bundlers for them: `await init()` once, then everything is synchronous but rendering and compaction. */

import { initFrom, setAsyncLoader } from "../engine.ts";
import { init as load } from "../init.ts";
import type { InitOptions } from "../init.ts";
import type { EncodingName } from "../types.ts";
import { setVocabularyLocator } from "../vocabulary.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

/** See the other entries; here the package's own files are fetched unless the options say otherwise. */
export function init(options: InitOptions = {}): Promise<void> {
  return load(options, { wasm: options.wasm ?? wasm(), vocabulary: ours });
}

// What is asynchronous anyway, rendering for one, fetches what it needs by itself.
setAsyncLoader(() => initFrom(wasm()));
setVocabularyLocator(ours);

// Named once: some bundlers make a file of every mention.
function wasm(): URL {
  return new URL("./espalier.wasm", import.meta.url);
}

// Written out, so that bundlers see both files.
function ours(name: EncodingName): URL {
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
}
