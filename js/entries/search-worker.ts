/**
 * The script of the search worker: `new Worker(new URL("espalier/search/worker", import.meta.url),
 * { type: "module" })`, or the form that a host's bundler needs. It is driven by
 * `openIndex`; hosts do not talk to it themselves. The engine is inside, so that this is the only file of the worker.
 */

import wasm from "#bytes/workspace";
import { serve as serveIndex } from "../search/worker.ts";
import { serveWorker } from "../tokens/worker-like.ts";

/** Answers requests that arrive through another port than that of the worker. */
export const serve = serveWorker((port) => serveIndex(port, wasm));
