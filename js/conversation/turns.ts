/** Waiting: for those who came before, and for a job that is nearly done; never longer than whoever waits wants to. */

import { EspalierError } from "../errors.ts";
import type { Clock } from "../providers/types.ts";

export class Turns {
  private queue: Promise<unknown> = Promise.resolve();
  private readonly alive: () => void;

  /** `alive` throws if nothing may be begun any more. */
  constructor(alive: () => void) {
    this.alive = alive;
  }

  /** One after the other. Whoever aborts while waiting waits no longer. */
  async take<R>(signal: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
    this.alive();
    const before = this.queue;
    let isGiven = false;
    const run = before.then(async () => {
      if (isGiven || signal?.aborted) throw aborted(signal);
      this.alive();
      return work();
    });
    this.queue = run.then(() => undefined, () => undefined);
    if (!signal) return run;
    const isIdle = await Promise.race([before.then(() => true), new Promise<false>((resolve) => {
      if (signal.aborted) resolve(false);
      signal.addEventListener("abort", () => resolve(false), { once: true });
    })]);
    if (!isIdle) {
      isGiven = true;
      run.catch(() => undefined);
      throw aborted(signal);
    }
    return run;
  }
}

/** Waits for something at most so many milliseconds, and no longer than until an abort. */
export async function waited(settled: Promise<void>, clock: Pick<Clock, "after">, limit: number, signal: AbortSignal | undefined): Promise<"settled" | "timeout" | "aborted"> {
  if (signal?.aborted) return "aborted";
  let stop: () => void = () => {};
  let listener: () => void = () => {};
  const late = new Promise<"timeout">((resolve) => {
    stop = clock.after(limit, () => resolve("timeout"));
  });
  const gone = new Promise<"aborted">((resolve) => {
    listener = () => resolve("aborted");
    signal?.addEventListener("abort", listener, { once: true });
  });
  try {
    return await Promise.race([settled.then(() => "settled" as const), late, gone]);
  } finally {
    stop();
    signal?.removeEventListener("abort", listener);
  }
}

export function aborted(signal: AbortSignal | undefined): EspalierError {
  return new EspalierError({ code: "aborted", message: "The request was aborted.", cause: signal?.reason });
}
