/**
 * Checks what hosts pass against the schema of a call (`schemas/`): the engine takes any number silently, and a
 * misspelt option would never count. Errors name the path, what is accepted and what was passed.
 */

import { badValue, EspalierError } from "../errors/errors.ts";
import { isSlip, nearest } from "./nearest.ts";

/** Makes the error for a wrong value: `badValue`, or `badInput` where the object is input and no options. */
export type Refuse = (path: string, wanted: string, value: unknown) => EspalierError;

/**
 * What an option accepts: returns a description if `value` is something else. Kinds of nested values check what is in
 * them, and throw errors with their path. `of` exists for the compiler only.
 */
export interface Kind<T> {
  (value: unknown, path: string, refuse: Refuse): string | undefined;
  readonly of?: (value: T) => T;
  readonly isRequired?: boolean;
}

/** A kind of an option that must be there. */
export interface Required<T> extends Kind<T> {
  readonly isRequired: true;
}

type Callable = (...args: never[]) => unknown;

/** How an option of type `T` is declared: a kind, a list of texts of which it is one, or the schema of an object. */
export type Spec<T> = Kind<T> | ([T] extends [string] ? readonly T[] : [T] extends [Callable] ? never : Schema<T>);

/** The options of a call. The compiler holds names, kinds and which of them are required equal to the type. */
export type Schema<O> = {
  readonly [name in keyof O]-?: object extends Pick<O, name> ? Spec<Exclude<O[name], undefined>> : Required<O[name]>;
};

type AnySpec = Kind<never> | readonly string[] | { readonly [name: string]: AnySpec };

/**
 * Returns `options` if it is an object without unknown names and every value is of its kind. `undefined` counts as
 * absent.
 *
 * @throws EspalierError `bad_option` with the path of the first unknown name; what `refuse` makes of a wrong value
 */
export function check<O extends object>(options: O, schema: object, within = "options", refuse: Refuse = badValue): O {
  // A list has methods that look like options: filter, keys.
  if (!isObject(options)) throw refuse(within, "an object", options);
  for (const name in options) {
    if (!Object.hasOwn(schema, name) && options[name] !== undefined) throw unknown(name, schema, within);
  }
  return kindsOf(options, schema, within, refuse);
}

/**
 * The same for an object that another library may have made, such as a language model of VS Code: of unknown names only
 * slips of our own are refused.
 */
export function checkForeign<O extends object>(value: O, schema: object, within: string, refuse: Refuse = badValue): O {
  if (!isObject(value)) throw refuse(within, "an object", value);
  for (const name in value) {
    if (Object.hasOwn(schema, name) || value[name] === undefined) continue;
    if (isSlip(name, Object.keys(schema))) throw unknown(name, schema, within);
  }
  return kindsOf(value, schema, within, refuse);
}

/**
 * Checks one value. `undefined` counts as absent, unless the kind is required.
 *
 * @throws EspalierError what `refuse` makes of the value
 */
export function need<T>(
  value: unknown,
  spec: Spec<T>,
  path: string,
  refuse: Refuse = badValue,
): asserts value is T | undefined {
  if (value !== undefined || (spec as Kind<T>).isRequired) needValue(value, spec as AnySpec, path, refuse);
}

/** Checks a list and each of its items. Returns what is accepted if there is no list. */
export function items<T>(value: unknown, spec: Spec<T>, path: string, refuse: Refuse): string | undefined {
  if (!Array.isArray(value)) return "a list";
  // Not `forEach`: it would skip holes.
  for (const [index, item] of (value as unknown[]).entries())
    needValue(item, spec as AnySpec, `${path}[${index}]`, refuse);
  return undefined;
}

function kindsOf<O extends object>(options: O, schema: object, within: string, refuse: Refuse): O {
  for (const name in schema) {
    const spec = (schema as Record<string, AnySpec>)[name]!;
    need((options as Record<string, unknown>)[name], spec as unknown as Kind<unknown>, `${within}.${name}`, refuse);
  }
  return options;
}

function needValue(value: unknown, spec: AnySpec, path: string, refuse: Refuse): void {
  let wanted: string | undefined;
  if (typeof spec === "function") wanted = spec(value, path, refuse);
  else if (isList(spec)) wanted = spec.includes(value as string) ? undefined : choice(spec);
  else if (isObject(value)) check(value, spec, path, refuse);
  else wanted = `an object with ${Object.keys(spec).join(", ")}`;
  if (wanted !== undefined) throw refuse(path, wanted, value);
}

const isList = (spec: AnySpec): spec is readonly string[] => Array.isArray(spec);

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Describes a list of texts of which one is accepted. */
export function choice(texts: readonly unknown[]): string {
  const quoted = texts.map((text) => JSON.stringify(text));
  return [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter(Boolean).join(" or ");
}

function unknown(name: string, schema: object, within: string): EspalierError {
  const names = Object.keys(schema);
  const path = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
    ? `${within}.${name}`
    : `${within}[${JSON.stringify(name)}]`;
  const near = nearest(name, names);
  const hint = near === undefined ? `it may have ${names.toSorted().join(", ")}` : `did you mean ${near}?`;
  return new EspalierError({
    code: "bad_option",
    message: `${path} is unknown; ${hint}`,
    path,
    details: { ...(near !== undefined && { nearest: near }) },
  });
}
