/** The engine that only counts, in browsers: `await init()` once, then everything is synchronous. */

import { fetchFiles } from "./fetched.ts";

fetchFiles(
  "count",
  () => import.meta.url,
  () => new URL("./count.wasm", import.meta.url),
  // Written out, so that bundlers see both files.
  (name) =>
    name === "cl100k_base"
      ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
      : new URL("./vocab/o200k_base.vocab", import.meta.url),
);
