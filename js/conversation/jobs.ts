/**
 * The one compaction that runs beside a conversation: its promise, its signal and its result. The rules are the
 * machine's.
 */

import type { Machine } from "./machine.ts";

/** The outcome of a job; `failed` holds its incomplete result. */
export type Outcome<R> = { value: R } | { error: string; failed?: R };

/** The machine's methods for the job. */
type JobMachine = Pick<Machine<unknown>, "phase" | "settleJob" | "takeJob" | "cancelJob" | "reopen">;

export class Jobs<R> {
  private readonly machine: JobMachine;
  private readonly results = new Map<number, R>();
  private live: { job: number; controller: AbortController; settled: Promise<void> } | undefined;

  constructor(machine: JobMachine) {
    this.machine = machine;
  }

  get phase(): JobMachine["phase"] {
    return this.machine.phase;
  }

  /** The number of the running job. */
  get running(): number | undefined {
    return this.live?.job;
  }

  /** The parked result. */
  get parked(): R | undefined {
    return this.phase === "parked" ? [...this.results.values()].at(-1) : undefined;
  }

  /** Continues an earlier session, whose newest job was `last`; with its result, if it was never used. */
  reopen(backoff: unknown, last: number, result?: R): void {
    this.machine.reopen(backoff, last, result !== undefined);
    if (result !== undefined) this.results.set(last, result);
  }

  /**
   * Runs a job that the machine started, and drops a parked result. `work` may throw, never end, or answer after it was
   * cancelled. `settled` is called once with the outcome, if this is still the running job.
   */
  run(job: number, work: (signal: AbortSignal) => Promise<Outcome<R>>, settled: (outcome: Outcome<R>) => void): void {
    this.results.clear();
    const controller = new AbortController();
    const done = Promise.resolve()
      .then(() => work(controller.signal))
      .catch((error: unknown): Outcome<R> => ({ error: error instanceof Error ? error.message : String(error) }))
      .then((outcome) => {
        if (!this.machine.settleJob(job, "error" in outcome ? outcome.error : undefined)) return;
        if ("value" in outcome) this.results.set(job, outcome.value);
        this.live = undefined;
        settled(outcome);
      })
      .catch(() => undefined);
    this.live = { job, controller, settled: done };
  }

  /** Removes and returns a result. */
  take(job: number): R | undefined {
    const result = this.results.get(job);
    this.results.delete(job);
    return result;
  }

  /** Removes and returns the waiting result, if there is one. */
  takeReady(): { job: number; value: R } | undefined {
    const job = this.phase === "ready" || this.phase === "parked" ? this.machine.takeJob() : undefined;
    const value = job === undefined ? undefined : this.take(job);
    return job === undefined || value === undefined ? undefined : { job, value };
  }

  /** Resolves when the running job has settled. */
  settled(): Promise<void> {
    return this.live?.settled ?? Promise.resolve();
  }

  /** Cancels the job or drops its result. Returns the number of the affected job. */
  cancel(reason: unknown): number | undefined {
    const dropped = [...this.results.keys()].at(-1);
    const job = this.machine.cancelJob();
    this.results.clear();
    const { live } = this;
    this.live = undefined;
    live?.controller.abort(reason);
    return job ?? dropped;
  }
}
