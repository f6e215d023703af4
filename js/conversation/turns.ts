/** Waits for earlier calls, and for a job that is nearly done; an abort ends every wait. */

import { abortable, onAbort } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";
import type { Clock } from "../providers/types.ts";

export class Turns {
  private queue: Promise<unknown> = Promise.resolve();
  private readonly end = new AbortController();

  /**
   * Runs `work` after the calls before it. An abort of `signal` ends the wait. The work's own signal also aborts when
   * the conversation ends.
   */
  async take<R>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
    this.mayGoOn();
    const before = this.queue;
    const either = joinSignals(signal, this.end.signal);
    let isGiven = false;
    const run = before
      .then(async () => {
        if (isGiven || signal?.aborted) throw aborted(signal);
        this.mayGoOn();
        return work(either.signal).catch((error: unknown) => {
          this.mayGoOn();
          throw error;
        });
      })
      .finally(either.release);
    this.queue = run.then(
      () => undefined,
      () => undefined,
    );
    if (!signal) return run;
    try {
      await abortable(before, signal);
    } catch {
      isGiven = true;
      run.catch(() => undefined);
      throw aborted(signal);
    }
    return run;
  }

  /** Cancels running and waiting work with this reason, and forbids new work. Resolves when nothing runs. */
  async close(reason: EspalierError): Promise<void> {
    this.end.abort(reason);
    await this.queue;
  }

  private mayGoOn(): void {
    if (this.end.signal.aborted) throw this.end.signal.reason;
  }
}

/** Aborts when either does, until it is released. */
function joinSignals(one: AbortSignal | undefined, other: AbortSignal): { signal: AbortSignal; release: () => void } {
  if (!one) return { signal: other, release: () => {} };
  const both = new AbortController();
  const stops = [one, other].map((signal) => {
    if (signal.aborted) both.abort(signal.reason);
    return onAbort(signal, () => both.abort(signal.reason));
  });
  return { signal: both.signal, release: () => stops.forEach((stop) => stop()) };
}

/** Waits for a promise at most this number of milliseconds, and only until an abort. */
export async function waitAtMost(
  settled: Promise<void>,
  clock: Pick<Clock, "after">,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<"settled" | "timeout" | "aborted"> {
  if (signal?.aborted) return "aborted";
  let stop: () => void = () => {};
  let unheard: () => void = () => {};
  const late = new Promise<"timeout">((resolve) => {
    stop = clock.after(limit, () => resolve("timeout"));
  });
  const gone = new Promise<"aborted">((resolve) => {
    unheard = onAbort(signal, () => resolve("aborted"));
  });
  try {
    return await Promise.race([settled.then(() => "settled" as const), late, gone]);
  } finally {
    stop();
    unheard();
  }
}

export function aborted(signal: AbortSignal | undefined): EspalierError {
  return new EspalierError({ code: "aborted", message: "The request was aborted.", cause: signal?.reason });
}

/** Returns the reason of a compaction that the host cancelled. */
export function cancelled(): EspalierError {
  return new EspalierError({ code: "aborted", message: "the compaction was cancelled" });
}
