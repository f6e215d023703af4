/** Reads profiles that somebody has typed. */

import { explainProfile, profile } from "../../js/calls/profile.ts";
import { baseOf, givenProfile } from "../parts/profile-text.ts";
import type { ReadProfile } from "../parts/profile-text.ts";

/** @throws EspalierError `bad_json`; `bad_option` with the path of an unknown field or a wrong value */
export function readTyped({ text }: { text: string }): ReadProfile {
  const all = profile(givenProfile(text));
  const base = baseOf(all.name);
  const differences = explainProfile(base, all);
  const given: Record<string, unknown> = { name: base };
  for (const { field, b } of differences) {
    const path = field.split(".");
    const last = path.pop()!;
    let at = given;
    for (const name of path) at = (at[name] ??= {}) as Record<string, unknown>;
    at[last] = b;
  }
  return {
    all: JSON.stringify(all, null, 2),
    given: differences.length > 0 ? JSON.stringify(given) : base,
    changed: differences.map(({ field }) => field),
  };
}
