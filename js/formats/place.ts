/**
 * Places in a host's message, and changes of single fields there. Changes are made on copies: everything outside the
 * path to a field stays the host's own object.
 */

import { copy, isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/** Keys and indices, starting at the message. */
export type Place = readonly (string | number)[];

/** The change of a field: a new value, or its removal. */
export type Fix = { set: unknown } | { remove: true };

/** A change of one field. */
export interface FieldChange {
  place: Place;
  fix: Fix;
}

/** Returns `value` with all changes. Their places refer to the value before any change. */
export function changed(value: unknown, changes: readonly FieldChange[]): unknown {
  if (changes.length === 0) return value;
  const own = changes.find(({ place }) => place.length === 0);
  if (own) return "set" in own.fix ? own.fix.set : undefined;
  if (typeof value !== "object" || value === null) return value;
  const byKey = new Map<string | number, FieldChange[]>();
  for (const {
    place: [key, ...place],
    fix,
  } of changes) {
    const list = byKey.get(key!);
    if (list) list.push({ place, fix });
    else byKey.set(key!, [{ place, fix }]);
  }
  const goes = (list: readonly FieldChange[] | undefined) =>
    list?.some(({ place, fix }) => place.length === 0 && "remove" in fix);
  if (Array.isArray(value))
    return (value as unknown[]).flatMap((item, at) =>
      goes(byKey.get(at)) ? [] : [changed(item, byKey.get(at) ?? [])],
    );
  const fields: Fields = {};
  for (const [key, list] of byKey) fields[key] = goes(list) ? undefined : changed((value as Fields)[key], list);
  return copy(value, fields);
}

/** Returns the path of a place in JavaScript syntax, starting with `from`. */
export function pathTo(from: string, place: Place): string {
  return place.reduce<string>((path, key) => {
    if (typeof key === "number") return `${path}[${key}]`;
    return path === "" ? key : `${path}.${key}`;
  }, from);
}

/** Returns the value at a place. */
export function at(value: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Fields)[key] : undefined),
    value,
  );
}

/** Returns the object at a place, or an empty one if there is none. */
export function fieldsAt(value: unknown, place: Place): Fields {
  const found = at(value, place);
  return isFields(found) ? found : {};
}

/** Returns the place of an item in the list of the field `name`, or that of the field if it holds no list. */
export function within(holder: Fields, name: string, item: number): Place {
  return Array.isArray(holder[name]) ? [name, item] : [name];
}
