/** The output of tools, reduced when it is made: what nobody reads is left out, the rest stays. */

import { check, need } from "../options/check.ts";
import { call, wasm } from "../engine/engine.ts";
import { ensureEncoding } from "../engine/vocabulary.ts";
import { badInput } from "../errors/errors.ts";
import * as kinds from "../options/kinds.ts";
import { REDUCE_OUTPUT } from "../options/schemas/results.ts";
import type { EncodingName } from "../types/count.ts";
import type { Reduction } from "../types/generated/prune.ts";

export interface ReduceOutputOptions {
  /**
   * The command line that wrote the text: `cd app && npm test`. Default: not known; then the text must look like the
   * output of a known tool.
   */
  command?: string;
  /** The handle by which the model gets the whole text; the note about missing lines names it. Default: none. */
  recall?: string;
  /**
   * Results that are still in the request, oldest first. Lines that one of them has, too, become a line that says where
   * they are. Default: none.
   */
  earlier?: readonly EarlierResult[];
  /** The encoding that counts. Default `o200k_base`. */
  encoding?: EncodingName;
}

/** A result that is still in the request. */
export interface EarlierResult {
  /** What the model knows it by: the command, or the tool with the file. The first line, and 80 characters of it. */
  name: string;
  /** The text as it was sent. */
  text: string;
}

/** A text, reduced or as it was. */
export interface ReducedOutput extends Reduction {
  /** The same string that was passed, if nothing could be left out. */
  text: string;
}

/**
 * Reduces the output of test runners, package managers, compilers, linters, git, containers, searches, listings, and
 * JSON, HTML and stack traces. Lines about errors stay, and the result never has more tokens than the text. It has no
 * limit: use `truncate` for one.
 *
 * ```ts
 * import { reduceOutput } from "espalier/results";
 *
 * const passed = Array.from({ length: 40 }, (_, at) => `test parser::case_${at} ... ok`);
 * const log = ["running 41 tests", ...passed, "test parser::last ... FAILED"].join("\n");
 * const { text, before, tokens } = reduceOutput(log, { command: "cargo test", recall: "m4" });
 * text; // => "running 41 tests\ntest parser::last ... FAILED\n[left out: 40 passed tests; recall m4]"
 * tokens < before / 10; // => true
 * ```
 *
 * With `earlier` an agent that reads a file again after an edit gets what has changed:
 *
 * ```ts
 * import { reduceOutput } from "espalier/results";
 *
 * const lines = Array.from({ length: 60 }, (_, at) => `export const setting${at} = "value ${at}";`);
 * const text = lines.with(9, 'export const setting9 = "new";').join("\n");
 * const earlier = [{ name: "cat settings.ts", text: lines.join("\n") }];
 * reduceOutput(text, { command: "cat settings.ts", earlier }).text.split("\n");
 * // => ["[9 lines from \"export const setting0 = \"value…\" on: as in `cat settings.ts` above]",
 * //     "export const setting9 = \"new\";",
 * //     "[50 lines from \"export const setting10 = \"valu…\" on: as in `cat settings.ts` above]",
 * //     "[left out: 59 repeated lines]"]
 * ```
 *
 * A text of more than 64 MiB and binary data stay as they are.
 *
 * @throws EspalierError `bad_input` if `text` is not a string, `bad_option`, `encoding_not_loaded`
 */
export function reduceOutput(text: string, options: ReduceOutputOptions = {}): ReducedOutput {
  need(text, kinds.required(kinds.text), "text", badInput);
  const { command = "", recall = "", earlier = [], encoding = "o200k_base" } = check(options, REDUCE_OUTPUT);
  ensureEncoding(encoding);
  const [names, texts] = [earlier.map((result) => result.name), earlier.map((result) => result.text)];
  const made = call(() => wasm().reduceOutput(text, command, recall, names, texts, encoding)) as
    | Reduction
    | null
    | undefined;
  if (made) return made;
  const tokens = call(() => wasm().count(text, encoding)) as number;
  return { text, tokens, before: tokens, rules: [], leftOut: [] };
}
