/** The calls that wait for each signal. */
const waiting = new WeakMap<AbortSignal, { calls: Set<() => void>; abort: () => void }>();

/**
 * Calls `call` once when the signal is aborted. Returns a function that ends this.
 *
 * The signal gets one listener for all calls: Node warns of a leak when the eleventh is added, and hosts count hundreds
 * of texts with one signal.
 */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (!signal) return () => undefined;
  const of = waiting.get(signal) ?? listenTo(signal);
  // The same function may wait twice.
  const own = () => call();
  of.calls.add(own);
  return () => {
    if (!of.calls.delete(own) || of.calls.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", of.abort);
  };
}

function listenTo(signal: AbortSignal): { calls: Set<() => void>; abort: () => void } {
  const calls = new Set<() => void>();
  const abort = () => {
    waiting.delete(signal);
    // A call may end others.
    for (const call of calls)
      try {
        call();
      } catch (error) {
        // As of a listener: it is reported, and the others are called.
        queueMicrotask(() => {
          throw error;
        });
      }
    calls.clear();
  };
  const made = { calls, abort };
  waiting.set(signal, made);
  signal.addEventListener("abort", abort, { once: true });
  return made;
}

/** Waits for `work` until the signal is aborted; the work itself continues. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const stop = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(stop);
  });
}
