/** Values of a host as they come: looked at without trust, copied with their classes, refused with their path. */

import { isBuffer } from "../files/bytes.ts";
import { EspalierError } from "../errors/errors.ts";
import type { InputCode } from "../errors/errors.ts";
import type { Role } from "../types/messages.ts";

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function bad(path: string, wanted: string, value: unknown, code: InputCode = "bad_message"): EspalierError {
  const shown =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "an array"
        : typeof value === "object"
          ? "an object"
          : typeof value === "string"
            ? JSON.stringify(value.slice(0, 60))
            : String(value);
  return new EspalierError({ code, message: `${path} must be ${wanted}, and is ${shown}`, path });
}

/**
 * Whatever the host's objects throw when they are looked at (getters, revoked proxies) is an error with a path, too.
 */
export function looking<T>(path: string, look: () => T): T {
  return lookingAt(() => path, look);
}

/** The same where the path is known only when it comes to that. */
export function lookingAt<T>(where: () => string, look: () => T): T {
  try {
    return look();
  } catch (cause) {
    if (cause instanceof EspalierError) throw cause;
    const path = where();
    throw new EspalierError({
      code: "bad_message",
      message: `${path} cannot be read: it threw while being looked at`,
      path,
      cause,
    });
  }
}

/** A shallow copy that keeps the prototype; fields that become `undefined` go. */
export function copy<T extends object>(original: T, changes: Fields): T {
  return withFields(Object.getPrototypeOf(original) as object | null, { ...(original as Fields) }, changes) as T;
}

/** An object of this prototype with these fields; a later list wins, and its `undefined` takes a field away. */
export function withFields(prototype: object | null, ...lists: Fields[]): Fields {
  const out = Object.create(prototype) as Fields;
  for (const [number, list] of lists.entries()) {
    for (const key of Reflect.ownKeys(list) as string[]) {
      const value = list[key];
      if (value === undefined && number > 0) delete out[key];
      else put(out, key, value);
    }
  }
  return out;
}

/**
 * Through the class's own setter where there is one; beside it where that needs private state, which a copy does not
 * have.
 */
function put(out: Fields, key: string, value: unknown): void {
  // Assigned, it would change the prototype instead.
  if (key === "__proto__") return define(out, key, value);
  try {
    out[key] = value;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    define(out, key, value);
  }
}

function define(out: Fields, key: string, value: unknown): void {
  Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * What {@link json} returns for a value that has no JSON: a getter or `toJSON` that throws, or nesting deeper than the
 * stack.
 */
export const NO_JSON = '"(unreadable)"';

/**
 * JSON of anything at all, for counting: bytes by their length, cycles by a note, functions not at all. Never throws.
 */
export function json(value: unknown): string {
  const flat = flatJson(value);
  if (flat !== undefined) return flat;
  // What a value was replaced by (a Map by its entries) is what its children see as their holder, so both are
  // remembered.
  const above: { value: object; shown: object }[] = [];
  try {
    const safe = JSON.stringify(value, function (this: Fields, key, item: unknown) {
      if (typeof item === "bigint") return String(item);
      if (typeof item !== "object" || item === null) return item;
      // Node's Buffer has turned itself into a list of numbers by now; the holder still has the bytes.
      const own = this[key];
      const bytes = ArrayBuffer.isView(own) || isBuffer(own) ? own : item;
      if (ArrayBuffer.isView(bytes) || isBuffer(bytes)) return `(${bytes.byteLength} bytes)`;
      while (above.length > 0 && above.at(-1)!.shown !== this) above.pop();
      if (above.some((holder) => holder.value === item)) return "(again)";
      const shown = item instanceof Map || item instanceof Set ? [...item] : item;
      above.push({ value: item, shown });
      return shown;
    });
    return safe ?? "null";
  } catch {
    // The host's object cannot be looked into. It is still a part, and keeping it needs no looking.
    return NO_JSON;
  }
}

/**
 * JSON of an object or a list of plain values alone, as arguments mostly are: it needs no second look at each value.
 */
function flatJson(value: unknown): string | undefined {
  try {
    const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
    if (prototype !== Object.prototype && prototype !== Array.prototype) return undefined;
    for (const key in value as Fields) {
      const item = (value as Fields)[key];
      if (typeof item !== "string" && typeof item !== "number" && typeof item !== "boolean" && item !== null)
        return undefined;
    }
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A field that should be a text: ids given as numbers are turned into one, anything else counts as absent. */
export function string(value: unknown, absent = ""): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : absent;
}

/** The neutral role of a host's, if it is one. (A look-up in a bare object would find `constructor`.) */
export function roleOf(roles: Readonly<Record<string, Role>>, value: unknown): Role | undefined {
  return (typeof value === "string" || typeof value === "number") && Object.hasOwn(roles, value)
    ? roles[value]
    : undefined;
}

/**
 * Returns true if two values have equal fields; absent ones equal `undefined`. Bytes, dates and addresses are values.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (ArrayBuffer.isView(a)) return ArrayBuffer.isView(b) && isEqualBytes(bytesIn(a), bytesIn(b));
  if (a instanceof URL || a instanceof Date)
    return Object.getPrototypeOf(a) === Object.getPrototypeOf(b) && String(a) === String(b);
  const [x, y] = [a as Fields, b as Fields];
  return [...new Set([...Object.keys(x), ...Object.keys(y)])].every((key) => isEqual(x[key], y[key]));
}

function bytesIn({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function isEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
