/**
 * Checks the options of a call against its schema (`schemas/`). The engine accepts any number silently, and a misspelt
 * option would have no effect. Errors name the path, what is accepted and what was passed.
 */

import { badValue, EspalierError } from "../errors/errors.ts";
import { isSlip, nearest } from "./nearest.ts";

/** Makes the error for a wrong value: `badValue`, or `badInput` if the object is input and not options. */
export type Refuse = (path: string, wanted: string, value: unknown) => EspalierError;

/**
 * A kind of value that an option accepts. Returns a description of it if `value` is something else. Kinds of nested
 * values check their contents, and throw errors with the path. `of` exists only for the compiler.
 */
export interface Kind<T> {
  (value: unknown, path: string, refuse: Refuse): string | undefined;
  readonly of?: (value: T) => T;
  readonly isRequired?: boolean;
}

/** The kind of a required option. */
export interface Required<T> extends Kind<T> {
  readonly isRequired: true;
}

type Callable = (...args: never[]) => unknown;

/** The declaration of an option of type `T`: a kind, a list of accepted texts, or the schema of an object. */
export type Spec<T> = Kind<T> | ([T] extends [string] ? readonly T[] : [T] extends [Callable] ? never : Schema<T>);

/** The options of a call. The compiler keeps names, kinds and required options equal to the type. */
export type Schema<O> = {
  readonly [name in keyof O]-?: object extends Pick<O, name> ? Spec<Exclude<O[name], undefined>> : Required<O[name]>;
};

type AnySpec = Kind<never> | readonly string[] | { readonly [name: string]: AnySpec };

/**
 * Returns `options` if it is an object without unknown names, and every value is of its kind. `undefined` counts as
 * absent.
 *
 * @throws EspalierError `bad_option` with the path of the first unknown name; or the error of `refuse` for a wrong
 *   value
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
 * The same for an object that another library may have made, such as a language model of VS Code. Refuses an unknown
 * name only if it looks like a slip of a known one, or if the object is a literal and `isMeant` says that the name
 * means a known one.
 */
export function checkForeign<O extends object>(
  value: O,
  schema: object,
  within: string,
  refuse: Refuse = badValue,
  isMeant: (name: string, of: unknown) => boolean = () => false,
): O {
  if (!isObject(value)) throw refuse(within, "an object", value);
  const isLiteral = Object.getPrototypeOf(value) === Object.prototype;
  for (const name in value) {
    if (Object.hasOwn(schema, name) || value[name] === undefined) continue;
    if (isSlip(name, Object.keys(schema)) || (isLiteral && isMeant(name, value[name])))
      throw unknown(name, schema, within);
  }
  return kindsOf(value, schema, within, refuse);
}

/**
 * Checks one value. `undefined` counts as absent, unless the kind is required.
 *
 * @throws EspalierError the error of `refuse`
 */
export function need<T>(
  value: unknown,
  spec: Spec<T>,
  path: string,
  refuse: Refuse = badValue,
): asserts value is T | undefined {
  if (value !== undefined || (spec as Kind<T>).isRequired) needValue(value, spec as AnySpec, path, refuse);
}

/** Checks a list and each of its items. Returns what is accepted if `value` is not a list. */
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
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined || (spec as Kind<never>).isRequired) needValue(value, spec, `${within}.${name}`, refuse);
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

/** Describes a list of accepted texts. */
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
