/** Bytes of any realm: test environments such as jsdom replace the classes that `instanceof` would compare with. */

export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && nameOf(value) === "[object Uint8Array]";
}

export function isBuffer(value: unknown): value is ArrayBuffer {
  return nameOf(value) === "[object ArrayBuffer]";
}

const nameOf = (value: unknown): string => Object.prototype.toString.call(value);
