/**
 * The one compaction that runs beside a conversation. The rules are the core's; promises, signals and results are here.
 */

import { call, wasm } from "../engine/engine.ts";

export type Phase = "idle" | "running" | "ready" | "parked" | "failed";
type Event =
  | { type: "reload"; last: number }
  | { type: "start"; stale: boolean }
  | { type: "settle"; job: number; error?: string }
  | { type: "request"; ratio: number; overflows: boolean }
  | { type: "take" }
  | { type: "cancel" };
type Step = { state: unknown; phase: Phase; job?: number; settled?: boolean; next?: Next };
/** What a request does about the job. */
export type Next = { next: "goOn" } | { next: "wait" | "apply" | "dropped"; job: number };

/** What came of a job; `failed` is what there is of it all the same. */
export type Outcome<R> = { value: R } | { error: string; failed?: R };

export class Jobs<R> {
  phase: Phase = "idle";
  private state: string | undefined;
  private readonly results = new Map<number, R>();
  private live: { job: number; controller: AbortController; settled: Promise<void> } | undefined;
  /** JSON text. */
  private readonly profile: string;

  constructor(profile: string) {
    this.profile = profile;
  }

  /** Number of the job that is running. */
  get running(): number | undefined {
    return this.live?.job;
  }

  /** The result that was put aside. */
  get parked(): R | undefined {
    return this.phase === "parked" ? [...this.results.values()].at(-1) : undefined;
  }

  /** Goes on behind a job of an earlier session; with its result, if that was never used. */
  reload(last: number, result?: R): void {
    this.step({ type: "reload", last: result === undefined ? last : last - 1 });
    if (result === undefined) return;
    this.step({ type: "start", stale: false });
    this.step({ type: "settle", job: last });
    this.results.set(last, result);
  }

  /**
   * Starts a job, unless there is one; a result that was put aside goes. `work` may do what it likes: throw, hang,
   * answer after it was cancelled. `settled` tells once what came of it, and only of the job that is running then.
   */
  start(
    work: (job: number, signal: AbortSignal) => Promise<Outcome<R>>,
    settled: (job: number, outcome: Outcome<R>) => void,
  ): number | undefined {
    const { job } = this.step({ type: "start", stale: true });
    if (job === undefined) return undefined;
    this.results.clear();
    const controller = new AbortController();
    const done = Promise.resolve()
      .then(() => work(job, controller.signal))
      .catch((error: unknown): Outcome<R> => ({ error: error instanceof Error ? error.message : String(error) }))
      .then((outcome) => {
        if (!this.settle(job, outcome)) return;
        this.live = undefined;
        settled(job, outcome);
      })
      .catch(() => undefined);
    this.live = { job, controller, settled: done };
    return job;
  }

  /** What the next request does; `ratio` is how full it is. */
  atRequest(ratio: number, overflows: boolean): Next {
    return this.step({ type: "request", ratio, overflows }).next!;
  }

  /** Takes a result out, once. */
  take(job: number): R | undefined {
    const result = this.results.get(job);
    this.results.delete(job);
    return result;
  }

  /** The result that waits, if there is one, out of the way. */
  takeReady(): { job: number; value: R } | undefined {
    const { job } = this.phase === "ready" || this.phase === "parked" ? this.step({ type: "take" }) : {};
    const value = job === undefined ? undefined : this.take(job);
    return job === undefined || value === undefined ? undefined : { job, value };
  }

  /** Ends when the running job has settled. */
  settled(): Promise<void> {
    return this.live?.settled ?? Promise.resolve();
  }

  /** Gives up whatever there is. The number of the job that was aborted or whose result went. */
  cancel(reason: unknown): number | undefined {
    const dropped = [...this.results.keys()].at(-1);
    const { job } = this.step({ type: "cancel" });
    this.results.clear();
    const { live } = this;
    this.live = undefined;
    live?.controller.abort(reason);
    return job ?? dropped;
  }

  private settle(job: number, outcome: Outcome<R>): boolean {
    const { settled } = this.step({ type: "settle", job, ...("error" in outcome && { error: outcome.error }) });
    if (settled && "value" in outcome) this.results.set(job, outcome.value);
    return settled === true;
  }

  private step(event: Event): Step {
    const step = JSON.parse(call(() => wasm().jobStep(this.state, this.profile, JSON.stringify(event)))) as Step;
    this.state = JSON.stringify(step.state);
    this.phase = step.phase;
    return step;
  }
}
