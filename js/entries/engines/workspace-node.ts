/**
 * The engine of search and inline context in Node: engine and vocabularies are files of the package, read when they are
 * first used.
 */

import { beside, readEngine, readVocabularies } from "./files.ts";

// Written out, as in node.ts.
readEngine(() => (import.meta.url ? new URL("./workspace.wasm", import.meta.url) : beside("workspace.wasm")));

readVocabularies((name) => {
  if (!import.meta.url) return beside(`vocab/${name}.vocab`);
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
});
