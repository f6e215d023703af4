/** The host's clock and random numbers. No other file in this folder reads a clock. */

import type { Clock } from "./types.ts";

/** Max delay of a JavaScript timer; a longer one would fire at once. */
const LONGEST = 2_147_483_647;

/** Milliseconds from which on a timer is late because the process stood still: a breakpoint, a long computation. */
const LATE = 500;
/** Max milliseconds that a late timer waits for answers that arrived meanwhile: they are read after the timers. */
const GRACE = 1_000;
/** How often it waits at most: in a tab in the background each timer is late, and limits must end there too. */
const GRACES = 3;

export const CLOCK: Clock = {
  now: () => Date.now(),
  after(ms, done) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (delay: number, graces: number) => {
      const due = performance.now() + delay;
      const fire = () =>
        graces === 0 || performance.now() - due < LATE ? done() : wait(Math.min(delay, GRACE), graces - 1);
      timer = setTimeout(fire, delay);
    };
    wait(Math.min(ms, LONGEST), GRACES);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/**
 * Returns the wait before the next attempt, in ms: the provider's `retry-after`, else 0.5 s doubling to 8 s, randomly
 * reduced by up to a quarter.
 */
export function backoff(attempt: number, retryAfter: number | undefined, random: number): number {
  if (retryAfter !== undefined) return retryAfter;
  return Math.round(Math.min(8_000, 500 * 2 ** (attempt - 1)) * (1 - random / 4));
}

/** Reads `retry-after-ms`, or `retry-after` in seconds or as a date; returns ms from now. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (milliseconds >= 0) return Math.ceil(milliseconds);
  const given = headers.get("retry-after")?.trim();
  if (!given) return undefined;
  if (/^\d+(\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1000);
  // A date contains the name of a month; `Date.parse` would read other text, such as "-5", as a year.
  const date = /[a-z]{3}/i.test(given) ? Date.parse(given) : Number.NaN;
  const wait = date - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
