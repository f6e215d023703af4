/** Ends waits: when the host aborts, when the time is up, and when a stream falls silent. */

import { onAbort } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";
import { Failure } from "./failure.ts";
import type { Clock } from "./types.ts";

/** Watches one attempt. Every wait through it ends in time, whether or not the awaited work supports aborts. */
export class Guard {
  #controller = new AbortController();
  #clock: Clock;
  #timers: (() => void)[] = [];
  #stopIdle: (() => void) | undefined;
  #reject: (failure: Failure) => void = () => undefined;
  #ended: Promise<never>;
  #unheard: () => void;
  failure: Failure | undefined;

  constructor(clock: Clock, host: AbortSignal | undefined, timeout: number) {
    this.#clock = clock;
    this.#ended = new Promise((_, reject) => (this.#reject = reject));
    // No caller may be waiting when it fails.
    this.#ended.catch(() => undefined);
    const abort = () => this.#fail(aborted(host!));
    if (host?.aborted) abort();
    this.#unheard = onAbort(host, abort);
    if (timeout > 0)
      this.#timers.push(
        clock.after(timeout, () =>
          this.#fail(new Failure("timeout", `there was no answer within ${timeout} ms`, { kind: "total" })),
        ),
      );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets the max silence from now on; 0 for no limit. */
  idle(ms: number): void {
    this.#stopIdle?.();
    this.#stopIdle =
      ms > 0
        ? this.#clock.after(ms, () =>
            this.#fail(new Failure("timeout", `the stream was silent for ${ms} ms`, { kind: "idle" })),
          )
        : undefined;
  }

  /** Waits for `work` no longer than this guard allows, whether or not `work` supports aborts. */
  async race<T>(work: Promise<T>, named: (error: unknown) => Failure): Promise<T> {
    try {
      return await Promise.race([work, this.#ended]);
    } catch (error) {
      // A late rejection has no receiver.
      work.catch(() => undefined);
      if (this.failure) throw this.failure;
      throw error instanceof Failure || error instanceof EspalierError ? error : named(error);
    }
  }

  abort(): void {
    this.#controller.abort();
  }

  end(): void {
    for (const stop of this.#timers) stop();
    this.#stopIdle?.();
    this.#unheard();
  }

  #fail(failure: Failure): void {
    if (this.failure) return;
    this.failure = failure;
    this.#reject(failure);
    this.abort();
  }
}

/** Makes the failure for an abort of the host. */
export function aborted(signal: AbortSignal): Failure {
  const { reason } = signal as { reason?: unknown };
  return new Failure(
    "aborted",
    "the request was called off",
    {},
    { ...(reason instanceof Error && { cause: reason }) },
  );
}

/** Returns the messages of an error and its causes: errors of `fetch` hide the reason one or two causes down. */
export function reason(error: unknown): string {
  const words: string[] = [];
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const code = (at as { code?: unknown }).code;
    for (const said of [at.message, typeof code === "string" && !at.message.includes(code) ? code : ""])
      if (said && !words.includes(said)) words.push(said);
  }
  return words.join(": ") || "no reason was given";
}
