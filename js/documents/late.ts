/**
 * What of the engine comes late: changed code, outlines and maps are a module of their own, which is fetched when one of them is first asked for
 * and shares memory and function table with the engine, as grammars do. `scripts/split.mjs` cuts it out of the same build.
 */

import { call, moduleFrom, onFreshInstance, wasm } from "../engine.ts";
import type { WasmSource } from "../engine.ts";
import { EspalierError } from "../errors.ts";

let module: WebAssembly.Module | undefined;
let pending: Promise<void> | undefined;
let linked = false;

onFreshInstance(() => {
  linked = false;
});

/**
 * Sees to it that the questions can be asked that come late: from `source`, or the package's own chunk.
 *
 * @throws EspalierError `wasm_not_found` if it cannot be had, `bad_wasm` if it cannot be compiled
 */
export async function needLate(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (module) return;
  pending ??= moduleFrom(source ?? ownBytes())
    .then((made) => void (module = made))
    .finally(() => (pending = undefined));
  await pending;
}

async function ownBytes(): Promise<Uint8Array> {
  try {
    // CommonJS that was imported has its names under `default`.
    const chunk = (await import("#late")) as { bytes?: () => Uint8Array; default?: { bytes: () => Uint8Array } };
    return (chunk.bytes ?? chunk.default!.bytes)();
  } catch (cause) {
    const message =
      "The part of the engine for changed code, outlines and maps was not found: it is espalier/dist/late.js, a chunk beside the one that asked for it. " +
      "Copy that, too, or pass espalier/late.wasm to init({ late }).";
    throw new EspalierError({ code: "wasm_not_found", message, cause });
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
