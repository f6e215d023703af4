/**
 * What hosts pass, checked before it crosses into the engine: that takes any number silently, and a value that holds
 * itself would exhaust its stack. Every check names the field to blame.
 */

import { badOption as bad, EspalierError } from "../errors/errors.ts";
import type { InputCode } from "../errors/errors.ts";

/** Deepest nesting of data that hosts pass. What the engine takes has six levels at most. */
const DEEPEST = 32;

/** The options of a call, which may be left out but not be anything else. */
export function given<O extends object>(options: O, path = "options"): O {
  if (typeof options !== "object" || options === null) throw bad("", "an object", options, path);
  return options;
}

/** A field that is a text, if it is there. */
export function needText(value: unknown, name: string, wanted = "a text", within = "options"): void {
  if (value !== undefined && typeof value !== "string") throw bad(name, wanted, value, within);
}

/** A field that is a function, if it is there. */
export function needFunction(value: unknown, name: string, within = "options"): void {
  if (value !== undefined && typeof value !== "function") throw bad(name, "a function", value, within);
}

/** An `AbortSignal`, if there is one; whatever else it is, it has to be told of an abort. */
export function needSignal(signal: unknown, within = "options"): void {
  if (signal === undefined) return;
  const { aborted, addEventListener, throwIfAborted } = (
    typeof signal === "object" && signal !== null ? signal : {}
  ) as Partial<AbortSignal>;
  if (typeof aborted !== "boolean" || typeof addEventListener !== "function" || typeof throwIfAborted !== "function")
    throw bad("signal", "an AbortSignal", signal, within);
}

/** How things are counted, by name: `encoding`, `model` and `costModel`. */
export function needNames({
  encoding,
  model,
  costModel,
}: {
  encoding?: unknown;
  model?: unknown;
  costModel?: unknown;
}): void {
  needText(encoding, "encoding", "the name of an encoding");
  needText(model, "model", "the name of a model");
  needText(costModel, "costModel", "the name of a cost model");
}

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
