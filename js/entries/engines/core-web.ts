/** Browsers and bundlers for them: asynchronous calls fetch what they need; synchronous ones need `init` once. */

import { setGrammarLocator } from "../../documents/grammars.ts";
import { addressFrom, fetchFiles } from "./fetched.ts";

fetchFiles(
  "espalier",
  () => import.meta.url,
  () => new URL("./espalier.wasm", import.meta.url),
  // Written out, so that bundlers see both files.
  (name) =>
    name === "cl100k_base"
      ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
      : new URL("./vocab/o200k_base.vocab", import.meta.url),
);
// Not written out: a bundler would take 20 MB along for pages that only count. `espalier/grammars/…` makes it take what
// is used.
const here = addressFrom(() => import.meta.url);
if (here) setGrammarLocator((grammar) => new URL(`grammars/tree-sitter-${grammar}.wasm`, here));
