/**
 * What of the engine comes late: changed code, outlines and maps are a module of their own, which is fetched when one of them is first asked for
 * and shares memory and function table with the engine, as grammars do. `scripts/split.mjs` cuts it out of the same build.
 */

import { call, onFreshInstance, wasm } from "../engine.ts";
import { EspalierError } from "../errors.ts";

let module: WebAssembly.Module | undefined;
let pending: Promise<void> | undefined;
let linked = false;

onFreshInstance(() => {
  linked = false;
});

/**
 * Sees to it that the questions can be asked that come late.
 *
 * @throws EspalierError `wasm_not_found` if the chunk cannot be had, `bad_wasm` if it is not of this version; it can be tried again
 */
export async function needLate(): Promise<void> {
  if (module) return;
  pending ??= load().finally(() => (pending = undefined));
  await pending;
}

async function load(): Promise<void> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    // CommonJS that was imported has its names under `default`.
    const chunk = (await import("#late")) as { bytes?: () => Uint8Array<ArrayBuffer>; default?: { bytes: () => Uint8Array<ArrayBuffer> } };
    bytes = (chunk.bytes ?? chunk.default!.bytes)();
  } catch (cause) {
    const message = "The part of the engine for changed code, outlines and maps was not found: it is espalier/dist/late.js, a chunk beside the one that asked for it.";
    throw new EspalierError({ code: "wasm_not_found", message, cause });
  }
  try {
    module = await WebAssembly.compile(bytes);
  } catch (cause) {
    throw new EspalierError({ code: "bad_wasm", message: "The part of the engine for changed code, outlines and maps is damaged.", cause });
  }
}

/** Links it into the live instance, if that has not been done: a fresh one does not have it. */
export function linkLate(): void {
  const live = call(() => wasm());
  if (linked || !module) return;
  try {
    // Functions of the engine that it calls are exported under names that begin with `~`.
    new WebAssembly.Instance(module, { core: live.initSync(undefined as never) as unknown as WebAssembly.ModuleImports });
    linked = true;
  } catch (cause) {
    const message = "The part of the engine for changed code, outlines and maps does not fit the engine: both must be of one version of espalier.";
    throw new EspalierError({ code: "bad_wasm", message, cause });
  }
}
