/** Browsers and bundlers for them: `await init()` once, then everything is synchronous but compaction. */

import { initFrom } from "../engine.ts";
import type { WasmSource } from "../engine.ts";
import { loadEncoding } from "../vocabulary.ts";
import type { EncodingName } from "../types.ts";

export * from "../core.ts";

export interface InitOptions {
  /** Default: the file of the package, fetched. */
  wasm?: WasmSource | Promise<WasmSource>;
  /** Encodings to load. Default: `["o200k_base"]`. */
  encodings?: readonly EncodingName[];
  /** Where a vocabulary is. Default: the file of the package. */
  vocabulary?: (name: EncodingName) => Uint8Array | ArrayBuffer | Response | URL | string;
}

/**
 * Loads the engine and the vocabularies. May be called again, for other encodings too; after a failure it can be retried.
 *
 * ```js
 * import { count, init } from "espalier";
 * await init();
 * count("Hello");
 * ```
 */
export async function init({ wasm, encodings = ["o200k_base"], vocabulary = ours }: InitOptions = {}): Promise<void> {
  await initFrom(wasm ?? new URL("./espalier.wasm", import.meta.url));
  await Promise.all(encodings.map((name) => loadEncoding(name, vocabulary(name))));
}

// Written out, so that bundlers see both files.
function ours(name: EncodingName): URL {
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
}
