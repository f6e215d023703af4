/** A classic script: esbuild's format for pages unless told otherwise. Its files are beside it. */
import * as espalier from "espalier";
import { use } from "./use.js";

espalier
  .init({ encodings: ["o200k_base", "cl100k_base"] })
  .then(() => use(espalier))
  .catch((error) => `${error.code}: ${error.message}`)
  .then((line) => (document.title = line));
