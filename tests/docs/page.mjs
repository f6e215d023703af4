/**
 * Provides what blocks for a page or a Cloudflare worker need and Node lacks: `Worker`, `indexedDB`, the vocabulary at
 * `/vocab/`, and `.wasm` imports as compiled modules.
 */

import { readFileSync } from "node:fs";
import { register } from "node:module";
import { Worker as Thread } from "node:worker_threads";
import { transformSync } from "esbuild";

const here = new URL(".", import.meta.url);
const vocabulary = new URL("node_modules/espalier/dist/vocab/", here).href;

/** Loads `.wasm` as bundlers for Cloudflare do: the default export is the compiled module. */
const HOOKS = `export async function load(url, context, next) {
  if (!url.endsWith(".wasm")) return next(url, context);
  const source = 'import { readFile } from "node:fs/promises"; export default await WebAssembly.compile(await readFile(new URL(' + JSON.stringify(url) + ')));';
  return { format: "module", source, shortCircuit: true };
}`;

/** A page's `Worker` on Node's threads. The address names a module of the package, as a bundler resolves it. */
class Worker {
  onmessage = null;
  onerror = null;
  #thread;

  constructor(url) {
    const module = import.meta.resolve(String(url).replace(/^.*\/(espalier\/)/, "$1"));
    const script = `
      const { parentPort } = require("node:worker_threads");
      Object.assign(globalThis, { WorkerGlobalScope: Object, location: new URL("http://localhost/"), postMessage: (message) => parentPort.postMessage(message) });
      const real = globalThis.fetch;
      globalThis.fetch = async (address) => {
        const url = String(address).replace(/^\\/vocab\\//, ${JSON.stringify(vocabulary)});
        return url.startsWith("file:") ? new Response(await require("node:fs/promises").readFile(new URL(url))) : real(address);
      };
      const waiting = [];
      parentPort.on("message", (data) => (globalThis.onmessage ? globalThis.onmessage({ data }) : waiting.push(data)));
      import(${JSON.stringify(module)}).then(() => waiting.forEach((data) => globalThis.onmessage({ data })));
    `;
    this.#thread = new Thread(script, { eval: true });
    this.#thread.on("message", (data) => this.onmessage?.({ data }));
    this.#thread.on("error", (error) => this.onerror?.(error));
  }

  postMessage(message) {
    this.#thread.postMessage(message);
  }

  terminate() {
    return this.#thread.terminate();
  }
}

export async function providePage() {
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
  const database = transformSync(readFileSync(new URL("../js/conversation/indexeddb.ts", here), "utf8"), {
    loader: "ts",
  }).code;
  const { fakeIndexedDb } = await import(`data:text/javascript,${encodeURIComponent(database)}`);
  const databases = new Map();
  const indexedDB = {
    open(name, version) {
      if (!databases.has(name)) databases.set(name, fakeIndexedDb());
      return databases.get(name).open(name, version);
    },
  };
  Object.assign(globalThis, { Worker, indexedDB });
}
