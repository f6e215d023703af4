/**
 * `espalier/count` in Node: engine and vocabularies are read from the package's own folder, when they are first used.
 */

import { beside, readEngine, readVocabularies } from "./files.ts";

// Written out, as in node.ts.
readEngine(() => (import.meta.url ? new URL("./count.wasm", import.meta.url) : beside("count.wasm")));

readVocabularies((name) => {
  if (!import.meta.url) return beside(`vocab/${name}.vocab`);
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
});
