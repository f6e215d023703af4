/** The kinds of values that options have. */

import type { EncodingName } from "../types/count.ts";
import { choice, items, need } from "./check.ts";
import type { Kind, Refuse, Required } from "./check.ts";

const expected = (isRight: boolean, wanted: string) => (isRight ? undefined : wanted);

/** Returns true for a whole number from `min` on that JavaScript holds exactly. */
export function isWhole(value: unknown, min = 0): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

const isNumber = (value: unknown): value is number => typeof value === "number";

/** An object of any fields. */
export const object: Kind<any> = (value) => expected(typeof value === "object" && value !== null, "an object");

/** A value that its reader checks: types, formats and profiles with rules of their own. */
export const checkedLater: Kind<any> = () => undefined;

/** Makes the kind of a required option. */
export function required<T>(kind: Kind<T> | readonly T[]): Required<T> {
  const own: Kind<T> =
    typeof kind === "function"
      ? (value, path, refuse) => kind(value, path, refuse)
      : (value) => expected(kind.includes(value as T), choice(kind));
  return Object.assign(own, { isRequired: true as const });
}

export const text: Kind<string> = (value) => expected(typeof value === "string", "a text");

/** A text that is not empty. */
export const name: Kind<string> = (value) =>
  expected(typeof value === "string" && value !== "", "a text that is not empty");

// A copy has no holes, which `every` skips.
export const texts: Kind<readonly string[]> = (value) =>
  expected(Array.isArray(value) && Array.from(value).every((item) => typeof item === "string"), "a list of texts");

export const flag: Kind<boolean> = (value) => expected(typeof value === "boolean", "true or false");

export const callback: Kind<any> = (value) => expected(typeof value === "function", "a function");

/** An `AbortSignal` of any realm, which can report an abort. */
export const signal: Kind<AbortSignal> = (value) => {
  const { aborted, addEventListener, throwIfAborted } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<AbortSignal>;
  const isSignal =
    typeof aborted === "boolean" && typeof addEventListener === "function" && typeof throwIfAborted === "function";
  return expected(isSignal, "an AbortSignal");
};

/** A count of tokens, bytes, lines and the like. */
export const whole: Kind<number> = (value) => expected(isWhole(value), "a whole number, 0 or more");

/** The same, with `Infinity` for no limit. */
export const ceiling: Kind<number> = (value) =>
  expected(isWhole(value) || value === Infinity, "a whole number, 0 or more, or Infinity");

export const positive: Kind<number> = (value) => expected(isWhole(value, 1), "a whole number, 1 or more");

export const milliseconds: Kind<number> = (value) =>
  expected(isWhole(value), "a whole number of milliseconds, 0 or more");

/** Max delay of a timer, about 24 days. */
const LONGEST = 2 ** 31 - 1;

/** A delay that a timer of the platform supports. */
export const timer: Kind<number> = (value) =>
  expected(isWhole(value) && value <= LONGEST, `a whole number of milliseconds, at most ${LONGEST}`);

export const share: Kind<number> = (value) =>
  expected(isNumber(value) && value >= 0 && value <= 1, "a number from 0 to 1");

export const positiveShare: Kind<number> = (value) =>
  expected(isNumber(value) && value > 0 && value <= 1, "a share above 0, at most 1");

/** A finite number that is not negative, such as a price. */
export const amount: Kind<number> = (value) =>
  expected(isNumber(value) && value >= 0 && value < Infinity, "a number, 0 or more");

/** A number that is not negative, with `Infinity` for no limit. */
export const limit: Kind<number> = (value) => expected(isNumber(value) && value >= 0, "a number, 0 or more");

/** Any number. */
export const number: Kind<number> = (value) => expected(isNumber(value) && !Number.isNaN(value), "a number");

export const encoding: Kind<EncodingName> = (value) => expected(typeof value === "string", "the name of an encoding");

/** The id or index of a message. Whether the message exists is checked later. */
export const messageId: Kind<string | number> = (value) =>
  expected(typeof value === "string" || isNumber(value), "the id or index of a message");

export const messageIds: Kind<readonly (string | number)[]> = (value, path, refuse) =>
  items(value, messageId, path, refuse) && "a list of ids or indices of messages";

/** Checks an object with values of one kind, under names of the host's choice. */
export function values<T>(value: unknown, kind: Kind<T>, wanted: string, path: string, refuse: Refuse) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wanted;
  for (const [key, item] of Object.entries(value)) {
    const inner = kind(item, `${path}.${key}`, refuse);
    if (inner !== undefined) throw refuse(`${path}.${key}`, inner, item);
  }
  return undefined;
}

/** Checks an object of the host with these methods. */
export function methods(value: unknown, names: readonly string[], path: string, refuse: Refuse): string | undefined {
  if (typeof value !== "object" || value === null) return `an object with ${names.join(", ")}`;
  for (const method of names) {
    const found = (value as Record<string, unknown>)[method];
    if (typeof found !== "function") throw refuse(`${path}.${method}`, "a function", found);
  }
  return undefined;
}

/** The host's own clock, for tests. */
export const clock: Kind<any> = (value, path, refuse) => {
  if (typeof value !== "object" || value === null) return "an object with now and after";
  const { now, after } = value as Record<string, unknown>;
  for (const [method, given] of Object.entries({ now, after })) need(given, callback, `${path}.${method}`, refuse);
  return undefined;
};
