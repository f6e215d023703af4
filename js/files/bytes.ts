/**
 * Bytes, responses and compiled modules of any realm: test environments such as jsdom, and the edge runtime of Next.js,
 * have other classes than those that `instanceof` would compare with, or none.
 */

export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && nameOf(value) === "[object Uint8Array]";
}

export function isBuffer(value: unknown): value is ArrayBuffer {
  return nameOf(value) === "[object ArrayBuffer]";
}

/** Returns true for a compiled `WebAssembly.Module`. */
export function isModule(value: unknown): value is WebAssembly.Module {
  return nameOf(value) === "[object WebAssembly.Module]";
}

export function isResponse(value: unknown): value is Response {
  return nameOf(value) === "[object Response]";
}

const nameOf = (value: unknown): string => Object.prototype.toString.call(value);
