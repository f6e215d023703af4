/**
 * Counts away from the caller's thread: the same results as `countBatch`, without blocking the page.
 *
 * The worker starts when first needed, stops after 15 seconds without work, and restarts once when it dies. If it dies
 * again, counting continues in this thread, with a warning, and the worker is tried again after a pause.
 */

import { onAbort } from "../errors/abortable.ts";
import { coded, EspalierError } from "../errors/errors.ts";
import { ready } from "../engine/engine.ts";
import { loadEncoding, loadNeeded } from "../engine/vocabulary.ts";
import { encodingName } from "./count.ts";
import { countBatch } from "./texts.ts";
import type { EncodingName } from "../types/count.ts";
import type { EncodingChoice } from "./count.ts";
import type { FromWorker, ToWorker } from "./worker-protocol.ts";
import { check } from "../options/check.ts";
import { listenTo } from "./worker-like.ts";
import type { WorkerLike } from "./worker-like.ts";
import { WORKER, WORKER_COUNT } from "../options/schemas/texts.ts";

export interface TokenWorkerOptions {
  /** Makes a worker that runs `espalier/worker`. */
  create: () => WorkerLike;
  /** The vocabularies by encoding: bytes or URL; in Node also the path of the file. */
  vocabularies: Partial<Record<EncodingName, Uint8Array | URL | string>>;
  /** Milliseconds without work after which the worker is stopped. Default 15,000. */
  idleMs?: number;
  /**
   * Milliseconds without an answer after which a busy worker counts as dead. Default 120,000; 0 disables the timeout.
   */
  timeoutMs?: number;
  /** Called when counting falls back to this thread. Default `console.warn`. */
  onWarning?: (message: string) => void;
}

/** Milliseconds without a worker after two deaths; every further death doubles them. */
const PAUSE = 15_000;

interface Job {
  texts: readonly string[];
  choice: EncodingChoice;
  resolve: (counts: number[]) => void;
  reject: (error: unknown) => void;
  cleanUp: () => void;
}

/**
 * ```ts
 * import { TokenWorker } from "espalier/tokens";
 *
 * const worker = new TokenWorker({
 *   create: () => new Worker(new URL("espalier/worker", import.meta.url), { type: "module" }),
 *   vocabularies: { o200k_base: "/vocab/o200k_base.vocab" },
 * });
 * await worker.count(["one text", "another text"]); // => [2, 2]
 * worker.running; // => true
 * worker.close();
 * ```
 */
export class TokenWorker {
  /** Kept when the file is minified. */
  static readonly name: string = "TokenWorker";
  private readonly options: TokenWorkerOptions;
  private readonly jobs = new Map<number, Job>();
  private worker: WorkerLike | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Runs while an answer is pending. */
  private silence: ReturnType<typeof setTimeout> | undefined;
  private next = 1;
  /** Consecutive deaths without an answer. */
  private deaths = 0;
  /** Until then this thread counts, by `performance.now()`. */
  private resting = 0;

  constructor(options: TokenWorkerOptions) {
    this.options = check(options, WORKER);
  }

  /** True while a worker runs. */
  get running(): boolean {
    return this.worker !== undefined;
  }

  /**
   * Returns the tokens of each text, in order. `model` chooses the encoding by a model's name, as in `count`.
   *
   * @throws EspalierError as `countBatch` and `loadEncoding`; the signal's reason if it is aborted
   */
  count(
    texts: readonly string[],
    options: { encoding?: EncodingName; model?: string; signal?: AbortSignal } = {},
  ): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const { signal, ...choice } = check(options, WORKER_COUNT);
      // Checks before posting: a value that cannot be cloned would look like a worker that died.
      if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string"))
        throw new EspalierError({ code: "bad_input", message: "texts must be a list of strings", path: "texts" });
      if (signal?.aborted) return reject(signal.reason);
      const id = this.next++;
      const abort = () => {
        this.finish(id)?.reject(signal?.reason);
        this.worker?.postMessage({ type: "cancel", id } satisfies ToWorker);
      };
      const cleanUp = onAbort(signal, abort);
      this.jobs.set(id, { texts, choice, resolve, reject, cleanUp });
      this.submit(id);
    });
  }

  /** Stops the worker. Pending counts are rejected; the next call starts a new worker. */
  close(): void {
    this.stop();
    this.deaths = this.resting = 0;
    for (const id of [...this.jobs.keys()]) {
      this.finish(id)?.reject(new EspalierError({ code: "cancelled", message: "The worker was closed." }));
    }
  }

  private submit(id: number): void {
    const job = this.jobs.get(id);
    if (!job) return;
    clearTimeout(this.timer);
    if (performance.now() < this.resting) return void this.here(id);
    try {
      this.worker ??= this.start();
      this.worker.postMessage({ type: "count", id, texts: job.texts, choice: job.choice } satisfies ToWorker);
      this.listen();
    } catch (error) {
      this.died(error);
    }
  }

  private start(): WorkerLike {
    const worker = this.options.create();
    listenTo(
      worker,
      (message) => this.worker === worker && this.received(message as FromWorker),
      (cause) => this.worker === worker && this.died(cause),
    );
    const given = Object.entries(this.options.vocabularies) as [EncodingName, Uint8Array | URL | string][];
    // A URL cannot be posted.
    const vocabularies = given.map(([name, from]): [EncodingName, Uint8Array | string] => [
      name,
      from instanceof URL ? from.href : from,
    ]);
    worker.postMessage({ type: "start", vocabularies } satisfies ToWorker);
    return worker;
  }

  private received(message: FromWorker): void {
    this.listen();
    if (message.type === "ready") return;
    if (message.type === "failed" && message.id === undefined) return this.died(coded(message));
    const job = this.finish(message.id as number);
    if (message.type === "failed") {
      job?.reject(coded(message));
    } else {
      this.deaths = 0;
      job?.resolve(message.counts);
    }
  }

  /** Restarts the timer after which a silent worker counts as dead. */
  private listen(): void {
    clearTimeout(this.silence);
    const { timeoutMs = 120_000 } = this.options;
    if (timeoutMs <= 0) return;
    const isSilent = () =>
      this.worker && this.jobs.size > 0 && this.died(new Error(`there was no answer within ${timeoutMs} ms`));
    this.silence = setTimeout(isSilent, timeoutMs);
  }

  /** Starts the timer that stops an idle worker. */
  private rest(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.timer = setTimeout(() => this.stop(), this.options.idleMs ?? 15_000);
    // In Node a timer keeps the process alive; this one must not.
    (this.timer as { unref?: () => void }).unref?.();
  }

  private died(cause: unknown): void {
    this.stop();
    this.deaths += 1;
    if (this.deaths > 1) this.resting = performance.now() + PAUSE * 2 ** (this.deaths - 2);
    if (this.deaths === 2) {
      const warn = this.options.onWarning ?? ((text: string) => console.warn(text));
      warn(`espalier: the counting worker died twice (${describe(cause)}); counting continues in this thread.`);
    }
    for (const id of [...this.jobs.keys()]) this.submit(id);
  }

  private async here(id: number): Promise<void> {
    const job = this.jobs.get(id);
    if (!job) return;
    const { texts, choice } = job;
    try {
      await ready();
      const encoding = encodingName(choice);
      const vocabulary = this.options.vocabularies[encoding];
      await (vocabulary === undefined ? loadNeeded(encoding) : loadEncoding(encoding, vocabulary));
      // It may have been cancelled in the meantime.
      if (this.jobs.has(id)) job.resolve(countBatch(texts, { encoding }));
    } catch (error) {
      job.reject(error);
    }
    this.finish(id);
  }

  private finish(id: number): Job | undefined {
    const job = this.jobs.get(id);
    this.jobs.delete(id);
    job?.cleanUp();
    if (this.worker && this.jobs.size === 0) this.rest();
    return job;
  }

  private stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    const { worker } = this;
    // Cleared first, so that this end does not count as a death.
    this.worker = undefined;
    worker?.terminate();
  }
}

function describe(cause: unknown): string {
  const { message } = (cause ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : "no reason was given";
}
