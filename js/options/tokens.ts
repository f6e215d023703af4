/** Checks a number of tokens. */

import { badOption as bad } from "../errors/errors.ts";

/** wasm takes any number silently, so numbers are checked here, with the option's name. */
export function tokens<O extends object>(
  options: O,
  name: keyof O & string,
  required: boolean,
  within = "options",
): void {
  const value: unknown = options?.[name];
  if (value === undefined && !required) return;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw bad(name, "a whole number, 0 or more", value, within);
}
