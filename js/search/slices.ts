/** Runs long work in short slices, so that the thread stays responsive, and host callbacks with a timeout. */

import { abortable, onAbort } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";

/** Lets other tasks of the thread run: input, rendering, timers. */
export function yieldToTasks(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };
  if (typeof setImmediate === "function") return new Promise((resolve) => void setImmediate(resolve));
  // Browsers delay nested timers by 4 ms, messages not at all.
  if (typeof MessageChannel !== "function") return new Promise((resolve) => void setTimeout(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** The time slices of one operation. */
export class Slices {
  private since = performance.now();
  private readonly ms: number;
  private readonly signal: AbortSignal | undefined;

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.ms = ms;
    this.signal = signal;
    signal?.throwIfAborted();
  }

  /** True if the slice is used up. */
  get isOver(): boolean {
    return performance.now() - this.since >= this.ms;
  }

  /** Waits for other tasks if the slice is used up. Throws the signal's reason if it is aborted. */
  async next(): Promise<void> {
    this.signal?.throwIfAborted();
    if (!this.isOver) return;
    await yieldToTasks();
    this.since = performance.now();
    this.signal?.throwIfAborted();
  }
}

/**
 * Runs a callback of the host. Its signal is aborted when `ms` have passed or `signal` is aborted; its late answer is
 * ignored.
 *
 * @throws the callback's error; the signal's reason; EspalierError `worker_failed` after `ms`
 */
export function callWithTimeout<T>(
  ms: number,
  signal: AbortSignal | undefined,
  what: string,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const own = new AbortController();
    const end = (error: unknown) => {
      own.abort(error);
      finish(() => reject(error));
    };
    const timer = setTimeout(
      () => end(new EspalierError({ code: "callback_timeout", message: `${what} did not answer within ${ms} ms` })),
      ms,
    );
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      unheard();
      settle();
    };
    const unheard = onAbort(signal, () => end(signal?.reason));
    // A callback may throw before it returns a promise.
    new Promise<T>((made) => made(work(own.signal))).then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

/** Iterates until the signal is aborted, also while waiting for the next item. */
export async function* iterate<T>(
  items: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncIterable<T> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = iterator.next();
      const { value, done } = signal && next instanceof Promise ? await abortable(next, signal) : await next;
      if (done) {
        isDone = true;
        return;
      }
      yield value;
    }
  } finally {
    // A waiting iterator may never end; its later error is irrelevant.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
