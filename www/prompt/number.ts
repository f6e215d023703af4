const format = new Intl.NumberFormat("en-US");

/** Formats a number for people: `12,345`. */
export const number = (value: number) => format.format(Math.round(value));

/** Formats a number with its noun: `1 token`, `2 tokens`. */
export const counted = (value: number, noun: string) => `${number(value)} ${noun}${Math.round(value) === 1 ? "" : "s"}`;
