/** Changes of single fields, on copies: everything beside the way to a field stays the host's own object. */

import { copy } from "../formats/values.ts";
import type { Fields } from "../formats/values.ts";
import type { Place } from "./places.ts";

/** What becomes of a field: another value, or nothing. */
export type Fix = { set: unknown } | { remove: true };

/** A change of one field. */
export interface FieldChange {
  place: Place;
  fix: Fix;
}

/** `value` with all the changes; places are those before any of them. */
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
