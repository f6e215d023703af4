/**
 * The script of the search worker: `new Worker(new URL("espalier/search/worker", import.meta.url),
 * { type: "module" })`, or the form that a host's bundler needs. It is driven by
 * `openIndex`; hosts do not talk to it themselves. The engine is inside, so that this is the only file of the worker.
 */

import wasm from "#bytes/workspace";
import { serve as serveIndex } from "../search/worker.ts";
import type { Port } from "../tokens/worker-protocol.ts";

/** Answers requests that arrive through `port`. */
export function serve(port: Port): void {
  serveIndex(port, wasm);
}

// In a browser's worker the port is the global itself; in Node's the module provides it.
const scope = globalThis as unknown as Port & { WorkerGlobalScope?: unknown };
if (scope.WorkerGlobalScope !== undefined) serve(scope);
