/** `espalier/count` in browsers: `await init()` once, then everything is synchronous. */

import { canStart, wasmNotFound } from "../engine/engine.ts";
import { init as load } from "../engine/init.ts";
import type { InitOptions } from "../engine/init.ts";
import type { EncodingName } from "../types/count.ts";

export * from "./count-public.ts";
export type { InitOptions, VocabularySource } from "../engine/init.ts";

/** A bundle in CommonJS has no address of its own: files beside it are for the host to bring. */
const HAS_ADDRESS = Boolean(import.meta.url);

/** Loads the engine and the vocabularies; the package's own files are fetched unless the options say otherwise. */
export async function init(options: InitOptions = {}): Promise<void> {
  const wasm = options.wasm ?? (canStart() ? undefined : ourWasm());
  return load({ ...options, ...(wasm !== undefined && { wasm }) }, HAS_ADDRESS ? { vocabulary: ours } : {});
}

// Named once: some bundlers make a file of every mention.
function ourWasm(): URL {
  if (!HAS_ADDRESS)
    throw wasmNotFound(
      "This bundle does not know where it is (import.meta.url is empty), so that the wasm beside it cannot be fetched",
    );
  return new URL("./count.wasm", import.meta.url);
}

// Written out, so that bundlers see both files.
function ours(name: EncodingName): URL {
  return name === "cl100k_base"
    ? new URL("./vocab/cl100k_base.vocab", import.meta.url)
    : new URL("./vocab/o200k_base.vocab", import.meta.url);
}
