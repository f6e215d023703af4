/** Checks data of hosts before it enters the engine, whose stack a cyclic value would exhaust. */

import { EspalierError } from "../errors/errors.ts";
import type { InputCode } from "../errors/errors.ts";

/** Max nesting of data from hosts. The engine uses at most six levels. */
const DEEPEST = 32;

/**
 * Copies plain data as JSON has it: texts, finite numbers, lists, objects. `undefined` stays, because the engine treats
 * it as absent.
 *
 * @throws EspalierError `code` with the path of a value that is not data, or that is nested too deeply (a cyclic value
 *   always is)
 */
export function plain<T>(value: T, path: string, code: InputCode = "bad_option"): T {
  return copied(value, path, code, 0) as T;
}

function copied(value: unknown, path: string, code: InputCode, depth: number): unknown {
  const refuse = (why: string) => new EspalierError({ code, message: `${path} ${why}`, path });
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint")
    throw refuse(`is no data, but a ${typeof value}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw refuse(`must be a finite number, and is ${value}`);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw refuse("is nested too deeply, or holds itself");
  if (Array.isArray(value)) return value.map((item: unknown, at) => copied(item, `${path}[${at}]`, code, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copied(item, `${path}.${key}`, code, depth + 1)]),
  );
}

/** Returns the options without those that are `undefined`. */
export function defined<O extends object>(options: O): Partial<O> {
  const out: Partial<O> = {};
  for (const name of Object.keys(options) as (keyof O)[]) if (options[name] !== undefined) out[name] = options[name];
  return out;
}

/** Returns those of the named options that are not `undefined`. */
export function picked<O extends object, N extends keyof O>(options: O, names: readonly N[]): Partial<Pick<O, N>> {
  return defined(Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<O, N>);
}
