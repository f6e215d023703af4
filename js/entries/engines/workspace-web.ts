/** The engine of search and inline context in browsers. */

import { fetchFiles } from "./fetched.ts";

fetchFiles(
  "workspace",
  () => import.meta.url,
  () => new URL("./workspace.wasm", import.meta.url),
  // Written out, so that bundlers see both files.
  (name) =>
    name === "cl100k_base"
      ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
      : new URL("./vocab/o200k_base.vocab", import.meta.url),
);
