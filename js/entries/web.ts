/** Browsers and bundlers for them: `await init()` once, then everything is synchronous but rendering and compaction. */

import { setGrammarLocator } from "../documents/structure.ts";
import { canStart, initFrom, setAsyncLoader, wasmNotFound } from "../engine/engine.ts";
import { init as load } from "../engine/init.ts";
import type { InitOptions } from "../engine/init.ts";
import type { EncodingName } from "../types/count.ts";
import { setVocabularyLocator } from "../engine/vocabulary.ts";

export * from "./core-public.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/no-node-storage.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

/** See the other entries; here the package's own files are fetched unless the options say otherwise. */
export async function init(options: InitOptions = {}): Promise<void> {
  if (options.wasm === undefined && canStart()) return load(options, HAS_ADDRESS ? { vocabulary: ours } : {});
  return load(options, { wasm: options.wasm ?? wasm(), ...(HAS_ADDRESS && { vocabulary: ours }) });
}

/**
 * A bundle in CommonJS has no address of its own (extensions of VS Code for the web): files beside it are for the host
 * to bring.
 */
const HERE: string | undefined = import.meta.url;
const HAS_ADDRESS = Boolean(HERE);

// What is asynchronous anyway, rendering for one, fetches what it needs by itself.
setAsyncLoader(async () => initFrom(wasm()));
if (HAS_ADDRESS) {
  setVocabularyLocator(ours);
  // Not written out: a bundler would take 20 MB along for pages that only count. `espalier/grammars/…` makes it take
  // what is used.
  setGrammarLocator((grammar) => new URL(`grammars/tree-sitter-${grammar}.wasm`, HERE));
}

// Named once: some bundlers make a file of every mention.
function wasm(): URL {
  if (!HAS_ADDRESS)
    throw wasmNotFound(
      "This bundle does not know where it is (import.meta.url is empty), so that the wasm beside it cannot be fetched",
    );
  return new URL("./espalier.wasm", import.meta.url);
}

// Written out, so that bundlers see both files.
function ours(name: EncodingName): URL {
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
}
