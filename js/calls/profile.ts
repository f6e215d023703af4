/** Profiles as plain data: all fields of one, and the difference of two. */

import { call, wasm } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { isFields } from "../formats/values.ts";
import { plain } from "../options/data.ts";
import type { Profile, ProfileDifference, ProfileFields, ProfileName } from "../types/profile.ts";

/** Returns a profile as JSON text. */
export function dataText(given: unknown, path: string): string {
  if (typeof given !== "string" && !isFields(given))
    throw new EspalierError({ code: "bad_option", message: `${path} must be a name or an object`, path });
  return JSON.stringify(plain(given, path));
}

/** The last profile that was read: a conversation compacts with the same one repeatedly. */
let newest: { text: string; fields: string } | undefined;

/** Returns all fields of a profile in JSON text. @throws EspalierError `bad_option` with the path of a field */
export function readProfile(text: string, path: string): Profile {
  if (newest?.text !== text) newest = { text, fields: call(() => wasm().readProfile(text, path)) };
  return JSON.parse(newest.fields) as Profile;
}

/**
 * Returns all fields of a profile: plain data that can be printed, changed and passed to {@link compact}.
 *
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { compact } from "espalier";
 * import { profile } from "espalier/profiles";
 *
 * const messages = JSON.parse(await readFile("session.json", "utf8"));
 * const mine = profile("gemini-cli");
 * mine.start.warm = 0.6;
 * const { status } = await compact(messages, { budget: 16_000, profile: mine });
 * status; // => "applied"
 * ```
 *
 * @throws EspalierError `bad_option` with the path of an unknown field or an invalid value
 */
export function profile(given: ProfileName | ProfileFields): Profile {
  return readProfile(dataText(given, "profile"), "profile");
}

/** Returns the fields in which two profiles differ, except names: `{ field: "start.warm", a: 0.78, b: 0.5 }`. */
export function explainProfile(a: ProfileName | ProfileFields, b: ProfileName | ProfileFields): ProfileDifference[] {
  return JSON.parse(call(() => wasm().explainProfiles(dataText(a, "a"), dataText(b, "b")))) as ProfileDifference[];
}
