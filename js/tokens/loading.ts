/** What an asynchronous call loads before it reads its input. */

import { canStart, ready } from "../engine/engine.ts";
import { hasEncoding, loadNeeded, mayFetch } from "../engine/vocabulary.ts";
import { isFields } from "../formats/values.ts";
import type { EncodingName } from "../types/count.ts";
import { encodingOf } from "./count.ts";

/**
 * Loads the engine, and the vocabulary that the options of a call name. Returns nothing if a synchronous call would
 * find both: the call then reads its input at once, before its caller can change it.
 *
 * @param options as the host passed them: the call itself reports what is wrong with them
 */
export function loading(options?: object): Promise<void> | undefined {
  if (!canStart()) return ready().then(() => (canStart() ? loading(options) : undefined));
  if (!mayFetch()) return undefined;
  const name = encodingIn(options);
  return name === undefined || hasEncoding(name) ? undefined : loadNeeded(name);
}

/** Returns the encoding that the options name; nothing if the host counts or the call will refuse them. */
function encodingIn(options: unknown = {}): EncodingName | undefined {
  try {
    const { tokenizer, encoding, model } = options as Record<string, unknown>;
    if (tokenizer !== undefined) return undefined;
    const name = isFields(model) ? model["name"] : model;
    return encodingOf({ encoding: encoding as EncodingName | undefined, model: name as string | undefined });
  } catch {
    return undefined;
  }
}
