/** Counting one text, and the choice of the encoding that counts. */

import { given, needNames } from "../checks.ts";
import { call, wasm } from "../engine.ts";
import { EspalierError } from "../errors.ts";
import { countText } from "../tokens.ts";
import type { EncodingName } from "../types.ts";
import { ensureEncoding } from "../vocabulary.ts";

/**
 * Tokens of a text, exactly as the encoding's reference implementation counts them. Text that looks like a special token
 * (`<|endoftext|>`) is text.
 *
 * @throws EspalierError `encoding_not_loaded`, `unknown_encoding`
 */
export function count(text: string, options: { encoding?: EncodingName; model?: string } = {}): number {
  if (typeof text !== "string") throw new EspalierError({ code: "bad_input", message: `count needs a string, and got ${typeof text}`, path: "text" });
  return countText(text, encodingOf(given(options)));
}

/** The encoding that counts for these options; loaded, where the entry can do that by itself. */
export function encodingOf({ encoding, model }: { encoding?: EncodingName | undefined; model?: string | undefined }): EncodingName {
  needNames({ encoding, model });
  const name = (encoding ?? (model === undefined ? "o200k_base" : call(() => wasm().encodingForModel(model)))) as EncodingName;
  ensureEncoding(name);
  return name;
}
