/** Data of hosts on its way into the engine, whose stack a value that holds itself would exhaust. */

import { EspalierError } from "../errors/errors.ts";
import type { InputCode } from "../errors/errors.ts";

/** Deepest nesting of data that hosts pass. What the engine takes has six levels at most. */
const DEEPEST = 32;

/**
 * A copy of plain data, as JSON has it: texts, finite numbers, lists, objects. What is `undefined` stays so, since the
 * engine takes it for absent.
 *
 * @throws EspalierError `code` with the path of whatever is no data, or nested too deeply (as everything is that holds
 *   itself)
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

/** What was given, without what is there in name only. */
export function defined<O extends object>(options: O): Partial<O> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<O>;
}
