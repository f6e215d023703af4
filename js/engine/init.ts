/** `init` of every entry. The default sources are those that the entry has registered. */

import { containing, initFrom, ready, wasm as live } from "./engine.ts";
import type { WasmSource } from "./engine.ts";
import type { EncodingName } from "../types/count.ts";
import {
  ensureEncoding,
  hasEncoding,
  loadEncoding,
  loadNeeded,
  startDownload,
  vocabularyNotFound,
} from "./vocabulary.ts";
import { check } from "../options/check.ts";
import { INIT } from "../options/schemas/texts.ts";

export type VocabularySource = Uint8Array | ArrayBuffer | Response | URL | string;

export interface InitOptions {
  /** The engine. Default: the package's own file, if the entry can find it. */
  wasm?: WasmSource | Promise<WasmSource>;
  /** Encodings to load. Default: `["o200k_base"]`. */
  encodings?: readonly EncodingName[];
  /** Returns the source of a vocabulary. Default: the package's own file, if the entry can find it. */
  vocabulary?: (name: EncodingName) => VocabularySource | Promise<VocabularySource>;
}

/**
 * Loads the engine and the vocabularies. May be called again, also for other encodings; after a failure it can be
 * retried.
 *
 * ```ts
 * import { count, init } from "espalier";
 *
 * await init();
 * count("Hello"); // => 1
 * ```
 *
 * @throws EspalierError `wasm_not_found`, `bad_wasm`, `vocab_not_found`, `bad_vocabulary`, `unknown_encoding`
 */
export async function init(options: InitOptions = {}): Promise<void> {
  const { wasm, vocabulary, encodings = ["o200k_base"] } = check(options, INIT);
  if (!vocabulary) encodings.forEach(startDownload);
  if (wasm !== undefined) await initFrom(wasm);
  else await ready();
  live();
  for (const name of encodings) {
    ensureEncoding(name);
    if (hasEncoding(name)) continue;
    if (vocabulary) await loadEncoding(name, await vocabulary(name));
    else await loadNeeded(name);
    if (hasEncoding(name)) continue;
    const way = `Import "${containing(name)}", which contains it, or say init({ vocabulary: (name) => bytes or URL }).`;
    throw vocabularyNotFound(name, "this entry contains none", undefined, way);
  }
}
