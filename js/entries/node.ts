/** Node: everything is read from the package's own folder, when it is first used. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { grammarNotFound, setGrammarReader } from "../documents.ts";
import { beside, readEngine } from "./files.ts";

export * from "../core.ts";
export * from "../prompt/index.ts";
export { nodeStorage } from "../conversation/node-storage.ts";
export { init } from "../init.ts";
export type { InitOptions, VocabularySource } from "../init.ts";

readEngine("espalier.wasm");

setGrammarReader((grammar) => {
  const file = beside(`grammars/tree-sitter-${grammar}.wasm`);
  try {
    return readFileSync(file);
  } catch (cause) {
    throw grammarNotFound(grammar, `${file} cannot be read`, cause);
  }
}, (bytes) => createHash("sha256").update(bytes).digest("hex"));
