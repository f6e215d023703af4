/** The kinds of values of settings. */

/** Reads a value; `undefined` if it is not of this kind. */
export interface Kind<T> {
  /** What a value must be, to follow "It must be". */
  readonly wanted: string;
  read(value: unknown): T | undefined;
}

const isText = (value: unknown) => typeof value === "string";

/** `true` or `false`. */
export const SWITCH: Kind<boolean> = {
  wanted: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
};

/** The same as text, for the environment. */
export const ENV_SWITCH: Kind<boolean> = {
  wanted: "1 or true, 0 or false",
  read(value) {
    if (typeof value === "boolean") return value;
    const word = isText(value) || typeof value === "number" ? String(value).trim().toLowerCase() : "";
    return (
      ["1", "true", "yes", "on"].includes(word) || (["0", "false", "no", "off"].includes(word) ? false : undefined)
    );
  },
};

/** Accepts a finite number for which `passes` returns true. */
export function number(wanted: string, passes: (value: number) => boolean): Kind<number> {
  return {
    wanted,
    read: (value) => (typeof value === "number" && Number.isFinite(value) && passes(value) ? value : undefined),
  };
}

/** Accepts such a number or its text, for the environment. */
export function envNumber(wanted: string, passes: (value: number) => boolean): Kind<number> {
  const { read } = number(wanted, passes);
  // `Number` also reads "0x10" and, for a text of blanks, 0.
  const parsed = (text: string) => (/^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : NaN);
  return { wanted, read: (value) => read(isText(value) ? parsed(value as string) : value) };
}

/** Accepts one of these texts. */
export function oneOf<T extends string>(...names: T[]): Kind<T> {
  return {
    wanted: names.map((name) => JSON.stringify(name)).join(" or "),
    read: (value) => names.find((name) => name === value),
  };
}

export const TEXT: Kind<string> = {
  wanted: "a text",
  read: (value) => (isText(value) ? (value as string) : undefined),
};

/** Accepts anything, for settings whose value does not matter. */
export const ANY: Kind<unknown> = { wanted: "anything", read: (value) => value };
