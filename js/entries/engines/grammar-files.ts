/** Grammars, read by Node, Deno and Bun when they are first used. */

import { existsSync, readFileSync } from "node:fs";
import { grammarNotFound, setFileReader, setGrammarReader } from "../../documents/grammars.ts";
import { beside, refusal } from "./files.ts";

// Loaded when a grammar is: importing it costs every start about 5 ms of CPU.
const sha256 = (bytes: Uint8Array) =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex");

/** Reads the package's own grammars, and those that `espalier/grammars/…` names by their URLs. */
export function readGrammars(): void {
  setFileReader((url) => readFileSync(url));
  setGrammarReader((grammar) => {
    const name = `tree-sitter-${grammar}.wasm`;
    const file = beside(`grammars/${name}`);
    try {
      return readFileSync(file);
    } catch (cause) {
      // A bundle in CommonJS has no `import.meta.url`, by which `espalier/grammars/…` finds its file beside the bundle.
      const copy = beside(name);
      if (existsSync(copy)) return readFileSync(copy);
      throw grammarNotFound(grammar, `${file} cannot be read`, cause, refusal(cause));
    }
  }, sha256);
}
