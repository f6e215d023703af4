/** Both ends of a worker's channel, in browsers and in Node. */

import type { Port } from "./worker-protocol.ts";

/** The result of `new Worker(...)`: a worker of browsers, or a thread of Node's `node:worker_threads`. */
export interface WorkerLike {
  postMessage(message: unknown): void;
  terminate(): unknown;
  // `any`: TypeScript compares these with the page's `MessageEvent` and `ErrorEvent`, and the DOM library is not needed
  // here.
  onmessage?: ((this: any, event: any) => void) | null;
  onerror?: ((this: any, event: any) => void) | null;
  /** Node's threads report messages, errors and their end here. */
  on?(event: "message" | "error" | "exit", listener: (value: any) => void): unknown;
}

/** Calls `received` with each message of a worker, and `died` when it fails or ends. */
export function listenTo(
  worker: WorkerLike,
  received: (message: unknown) => void,
  died: (cause: unknown) => void,
): void {
  // A host's own object around a thread has `onmessage`, and may pass events of the thread on.
  if ("onmessage" in worker || !worker.on) {
    worker.onmessage = ({ data }) => received(data);
    worker.onerror = died;
  } else {
    worker.on("message", received);
    worker.on("error", died);
  }
  worker.on?.("exit", (code) => died(new Error(`it ended with code ${code}`)));
}

interface Thread {
  postMessage(message: unknown): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

interface Scope extends Port {
  WorkerGlobalScope?: unknown;
  process?: { getBuiltinModule?(name: string): { parentPort: Thread | null } | undefined };
}

/**
 * Serves the port of the worker that runs this script: the global of a browser's, `parentPort` of a thread of Node's.
 * Returns `serve` for another port, which replaces that of a thread.
 */
export function serveWorker(serve: (port: Port) => void): (port: Port) => void {
  const scope = globalThis as unknown as Scope;
  if (scope.WorkerGlobalScope !== undefined) {
    serve(scope);
    return serve;
  }
  // An import would be an error in bundles for browsers.
  const thread = scope.process?.getBuiltinModule?.("node:worker_threads")?.parentPort;
  if (!thread) return serve;
  const own: Port = { postMessage: (message) => thread.postMessage(message), onmessage: null };
  thread.on("message", (data) => own.onmessage?.({ data }));
  serve(own);
  return (port) => {
    own.onmessage = null;
    serve(port);
  };
}
