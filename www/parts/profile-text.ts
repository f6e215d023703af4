/** Profiles as the address holds them: the name of one, or JSON text of the fields in which it differs. */

import { EspalierError } from "../../js/errors/errors.ts";
import type { ProfileFields, ProfileName } from "../../js/types/profile.ts";

export const PROFILES: readonly ProfileName[] = ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"];

const nameOf = (text: string) => PROFILES.find((name) => name === text);

/**
 * Returns what the package takes as a profile; it checks the fields.
 *
 * @throws EspalierError `bad_json`
 */
export function givenProfile(text: string): ProfileName | ProfileFields {
  const name = nameOf(text);
  if (name) return name;
  try {
    return JSON.parse(text) as ProfileFields;
  } catch (cause) {
    throw new EspalierError({ code: "bad_json", message: `This is not JSON: ${(cause as Error).message}`, cause });
  }
}

/** Returns the profile that has the other fields. */
export function baseOf(text: string): ProfileName {
  const name = nameOf(text);
  if (name) return name;
  try {
    return nameOf(String((JSON.parse(text) as { name?: unknown } | null)?.name)) ?? "espalier";
  } catch {
    return "espalier";
  }
}

/** Returns a profile's name in words. */
export const profileTitle = (text: string): string => nameOf(text) ?? `${baseOf(text)}, changed`;

/** Returns the text of an address if it can be a profile, or undefined. */
export function readProfileText(text: string | undefined): string | undefined {
  if (text === undefined || nameOf(text)) return text;
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === "object" && fields !== null && !Array.isArray(fields) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** A profile that the package has read. */
export interface ReadProfile {
  /** All fields, as JSON text for people. */
  all: string;
  /** The same as short as possible: a name, or the name with the fields in which it differs. */
  given: string;
  /** Paths of those fields. */
  changed: string[];
}
