/** Node: everything is read from the package's own folder, when it is first used. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { grammarNotFound, setGrammarReader } from "../documents.ts";
import { setLoader } from "../engine.ts";
import { EspalierError } from "../errors.ts";
import { notFound, setVocabularyReader } from "../vocabulary.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/node-storage.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

/** The folder of this file. Filled in by the build, because ESM and CommonJS say it differently and bundlers move it. */
declare const ESPALIER_DIR: URL | string | undefined;

function beside(file: string): URL | string {
  if (ESPALIER_DIR === undefined) return file;
  return typeof ESPALIER_DIR === "string" ? `${ESPALIER_DIR}/${file}` : new URL(file, ESPALIER_DIR);
}

setLoader(() => {
  const file = beside("espalier.wasm");
  try {
    return readFileSync(file);
  } catch (cause) {
    const message =
      `The engine was not found at ${file}. A bundler moved this code: copy espalier/espalier.wasm beside the bundle, or import ` +
      `"espalier/inline", which contains it.`;
    throw new EspalierError({ code: "wasm_not_found", message, cause });
  }
});

setVocabularyReader((name) => {
  const file = beside(`vocab/${name}.vocab`);
  try {
    return readFileSync(file);
  } catch (cause) {
    throw notFound(name, `${file} cannot be read`, cause);
  }
});

setGrammarReader((grammar) => {
  const file = beside(`grammars/tree-sitter-${grammar}.wasm`);
  try {
    return readFileSync(file);
  } catch (cause) {
    throw grammarNotFound(grammar, `${file} cannot be read`, cause);
  }
}, (bytes) => createHash("sha256").update(bytes).digest("hex"));
