/** Numbers and counts as people read them. */

const format = new Intl.NumberFormat("en");

export const number = (value: number) => format.format(value);
export const count = (value: number, one: string, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** `402,554` as `402.6k`, for marks. */
export const short = (value: number) => (value < 10_000 ? number(value) : `${number(Math.round(value / 100) / 10)}k`);
