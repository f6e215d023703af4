/** The host's clock, whose errors must not stop a conversation. */

import { CLOCK } from "../providers/clock.ts";
import type { Clock } from "../providers/types.ts";

/** The last moment that a JavaScript date can express, in milliseconds. */
const LAST = 8.64e15;

/** Wraps the host's clock so that its errors cannot stop the conversation: a wrong time of entries is harmless. */
export function guardClock({ now, after }: Pick<Clock, "now" | "after">): Pick<Clock, "now" | "after"> {
  return {
    now() {
      let value: unknown;
      try {
        value = now();
      } catch {
        return 0;
      }
      return typeof value === "number" && Number.isFinite(value)
        ? Math.min(Math.max(Math.round(value), -LAST), LAST)
        : 0;
    },
    after(ms, done) {
      let stop: unknown;
      try {
        stop = after(ms, done);
      } catch {
        return CLOCK.after(ms, done);
      }
      // A timer that cannot be stopped runs out; nothing waits for it by then.
      return typeof stop === "function" ? (stop as () => void) : () => {};
    },
  };
}
