/** Node, Deno and Bun: everything is read from the package's own folder, when it is first used. */

import { setSearchLoader } from "../../log/loader.ts";
import { beside, readEngine, readVocabularies } from "./files.ts";
import { readGrammars } from "./grammar-files.ts";

// Each file is written out once: bundlers that end up here follow these and no other addresses. `import.meta.url` is
// empty in CommonJS.
readEngine(() => (import.meta.url ? new URL("./espalier.wasm", import.meta.url) : beside("espalier.wasm")));

readVocabularies((name) => {
  if (!import.meta.url) return beside(`vocab/${name}.vocab`);
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
});

readGrammars();

setSearchLoader(() => import("../search.ts"));
