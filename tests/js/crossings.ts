/**
 * Counts calls of the exports of every engine instance. Import it before the engine starts, which is when it is first
 * used.
 */

import assert from "node:assert/strict";

/** Names of the exports that were called, in order; those of the bindings' own memory management begin with `__`. */
const crossings: string[] = [];
const { Instance } = WebAssembly;
const counting = (name: string, run: (...args: unknown[]) => unknown) => {
  if (name.startsWith("__")) return run;
  return (...args: unknown[]) => {
    crossings.push(name);
    return run(...args);
  };
};
WebAssembly.Instance = new Proxy(Instance, {
  construct: (target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) => {
    const { exports } = new target(module, imports);
    const counted = Object.entries(exports).map(([name, value]) => [
      name,
      typeof value === "function" ? counting(name, value as (...args: unknown[]) => unknown) : value,
    ]);
    return { exports: Object.fromEntries(counted) as WebAssembly.Exports };
  },
});

/** Returns the names of the exports that `run` calls. */
export async function crossed(run: () => unknown): Promise<string[]> {
  crossings.length = 0;
  await run();
  return [...crossings];
}

/** Fails with the names of the exports if there are more than `max`. */
export function atMost(max: number, names: readonly string[]): void {
  assert.ok(names.length > 0 && names.length <= max, `${names.length} crossings, at most ${max}: ${names.join(" ")}`);
}
