/**
 * Takes from a worker what typed code must not have: a prompt that came with a link could otherwise send the texts of
 * this page somewhere, or read what the site keeps. It keeps the language, timers and the console.
 */

/** Globals that stay. Everything else that a worker has is deleted. */
const KEPT = new Set(
  // The language.
  (
    "Object Array Boolean Number String Symbol BigInt Math JSON Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy " +
    "Reflect Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError ArrayBuffer " +
    "SharedArrayBuffer DataView Atomics Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array " +
    "Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array Intl Iterator AsyncIterator " +
    "FinalizationRegistry globalThis Infinity NaN undefined isFinite isNaN parseFloat parseInt decodeURI " +
    "decodeURIComponent encodeURI encodeURIComponent escape unescape " +
    // What the engine, its messages and timers need.
    "WebAssembly TextEncoder TextDecoder URL URLSearchParams structuredClone queueMicrotask setTimeout clearTimeout " +
    "setInterval clearInterval AbortController AbortSignal DOMException Event EventTarget MessageEvent ErrorEvent " +
    "PromiseRejectionEvent performance console crypto Crypto SubtleCrypto atob btoa self onmessage onerror postMessage " +
    "addEventListener removeEventListener dispatchEvent constructor"
  ).split(" "),
);

type Run = (code: string) => unknown;

/** Confines this worker for good, and returns the one way that is left to run code from a text. */
export function confine(): Run {
  // biome-ignore lint/security/noGlobalEval: it runs what the reader types. Called indirectly, it sees globals alone.
  const run: Run = globalThis.eval;
  const { prototype } = Function;
  for (let at: object = globalThis; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (!KEPT.has(name)) remove(at, name);
  }
  const refuse = () => {
    throw new TypeError("Code from texts is not run here.");
  };
  // `import()` of an address is refused when the code is transformed; code in a text would escape that.
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    const prototype = Object.getPrototypeOf(sample) as object;
    Object.defineProperty(prototype, "constructor", { value: refuse, writable: false, configurable: false });
  }
  // Libraries ask for `Function.prototype`.
  Object.defineProperty(globalThis, "Function", {
    value: Object.assign(refuse.bind(null), { prototype }),
  });
  for (const name of ["setTimeout", "setInterval"] as const) {
    const original = globalThis[name] as (work: unknown, ...rest: unknown[]) => unknown;
    const checked = (work: unknown, ...rest: unknown[]) =>
      typeof work === "function" ? original(work, ...rest) : refuse();
    // The original is a member of a prototype, where code could still find it.
    for (let at: object = globalThis; at !== Object.prototype; at = Object.getPrototypeOf(at))
      if (at === globalThis || Object.hasOwn(at, name))
        Object.defineProperty(at, name, { value: checked, writable: false, configurable: false });
  }
  return run;
}

function remove(from: object, name: string): void {
  if (Reflect.deleteProperty(from, name)) return;
  try {
    Object.defineProperty(from, name, { value: undefined });
  } catch {
    // It is frozen: such globals are constants of the language.
  }
}
