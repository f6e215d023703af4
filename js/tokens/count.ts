/** Counts one text, and chooses the encoding for it. */

import { call, wasm } from "../engine/engine.ts";
import { badOption, EspalierError } from "../errors/errors.ts";
import { countText } from "./texts.ts";
import { check } from "../options/check.ts";
import { COUNT_TEXT } from "../options/schemas/texts.ts";
import type { EncodingName, Origin } from "../types/count.ts";
import { ensureEncoding } from "../engine/vocabulary.ts";

/**
 * Returns the tokens of a text, exactly as the encoding's reference implementation counts them. Text that looks like a
 * special token (`<|endoftext|>`) counts as text.
 *
 * @throws EspalierError `encoding_not_loaded`, `unknown_encoding`
 */
export function count(text: string, options: { encoding?: EncodingName; model?: string } = {}): number {
  if (typeof text !== "string")
    throw new EspalierError({
      code: "bad_input",
      message: `count needs a string, and got ${typeof text}`,
      path: "text",
    });
  return countText(text, encodingOf(check(options, COUNT_TEXT)));
}

/** What chooses an encoding: its name, else a model. */
export interface EncodingChoice {
  encoding?: EncodingName | undefined;
  model?: string | undefined;
}

/** Returns the encoding for these options, and loads it if the entry can do so synchronously. */
export function encodingOf(choice: EncodingChoice): EncodingName {
  const name = encodingName(choice);
  ensureEncoding(name);
  return name;
}

/** Returns the name of the encoding for these options. */
export function encodingName({ encoding, model }: EncodingChoice): EncodingName {
  return encoding ?? (model === undefined ? "o200k_base" : encodingByName(model));
}

/** Encodings by model name, which saves a crossing for each call. The map is cleared at {@link MAX_NAMES}. */
const byName = new Map<string, EncodingName>();
const MAX_NAMES = 100;

function encodingByName(model: string): EncodingName {
  const known = byName.get(model);
  if (known !== undefined) return known;
  const found = call(() => wasm().encodingForModel(model)) as EncodingName;
  if (byName.size === MAX_NAMES) byName.clear();
  byName.set(model, found);
  return found;
}

/**
 * Returns the encoding for a model, and whether it is the model's own (`origin: "exact"`). For a model without a public
 * vocabulary and for an unknown one it returns the substitute `o200k_base` (`"prior"`): the provider may count a third
 * more.
 *
 * ```ts
 * import { encodingForModel } from "espalier/tokens";
 *
 * encodingForModel("gpt-4"); // => { encoding: "cl100k_base", origin: "exact" }
 * encodingForModel("claude-sonnet-4-6"); // => { encoding: "o200k_base", origin: "prior" }
 * ```
 *
 * @throws EspalierError `bad_option` if `model` is not text
 */
export function encodingForModel(model: string): { encoding: EncodingName; origin: Origin } {
  if (typeof model !== "string") throw badOption("", "the name of a model", model, "model");
  return call(() => ({
    encoding: wasm().encodingForModel(model) as EncodingName,
    origin: wasm().encodingOrigin(model) as Origin,
  }));
}
