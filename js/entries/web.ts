/** Browsers and bundlers for them: `await init()` once, then everything is synchronous but rendering and compaction. */

import { grammarNotFound, setGrammarLocator } from "../documents.ts";
import { canStart, initFrom, setAsyncLoader, wasmNotFound } from "../engine.ts";
import { init as load } from "../init.ts";
import type { InitOptions } from "../init.ts";
import type { EncodingName } from "../types.ts";
import { setVocabularyLocator } from "../vocabulary.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

/** See the other entries; here the package's own files are fetched unless the options say otherwise. */
export function init(options: InitOptions = {}): Promise<void> {
  if (options.wasm === undefined && canStart()) return load(options, HAS_ADDRESS ? { vocabulary: ours } : {});
  return load(options, { wasm: options.wasm ?? wasm(), ...(HAS_ADDRESS && { vocabulary: ours }) });
}

/** A bundle in CommonJS has no address of its own (extensions of VS Code for the web): files beside it are for the host to bring. */
const HAS_ADDRESS = Boolean(import.meta.url);

// What is asynchronous anyway, rendering for one, fetches what it needs by itself.
setAsyncLoader(async () => initFrom(wasm()));
if (HAS_ADDRESS) {
  setVocabularyLocator(ours);
  setGrammarLocator((grammar) => GRAMMARS[grammar]?.() ?? missing(grammar));
}

// Named once: some bundlers make a file of every mention.
function wasm(): URL {
  if (!HAS_ADDRESS) throw wasmNotFound("This bundle does not know where it is (import.meta.url is empty), so that the wasm beside it cannot be fetched");
  return new URL("./espalier.wasm", import.meta.url);
}

// Written out, so that bundlers see both files.
function ours(name: EncodingName): URL {
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
}

// The same; none is fetched before a document needs it.
const GRAMMARS: Record<string, () => URL> = {
  javascript: () => new URL("./grammars/tree-sitter-javascript.wasm", import.meta.url),
  typescript: () => new URL("./grammars/tree-sitter-typescript.wasm", import.meta.url),
  tsx: () => new URL("./grammars/tree-sitter-tsx.wasm", import.meta.url),
  python: () => new URL("./grammars/tree-sitter-python.wasm", import.meta.url),
  ruby: () => new URL("./grammars/tree-sitter-ruby.wasm", import.meta.url),
  rust: () => new URL("./grammars/tree-sitter-rust.wasm", import.meta.url),
  go: () => new URL("./grammars/tree-sitter-go.wasm", import.meta.url),
  java: () => new URL("./grammars/tree-sitter-java.wasm", import.meta.url),
  c: () => new URL("./grammars/tree-sitter-c.wasm", import.meta.url),
  cpp: () => new URL("./grammars/tree-sitter-cpp.wasm", import.meta.url),
  "c-sharp": () => new URL("./grammars/tree-sitter-c-sharp.wasm", import.meta.url),
  php: () => new URL("./grammars/tree-sitter-php.wasm", import.meta.url),
};

function missing(grammar: string): never {
  throw grammarNotFound(grammar, "it is no file of this package");
}
