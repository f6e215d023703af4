/**
 * The page's side of an index in a worker: calls its methods and answers its questions. When a worker dies, the running
 * calls fail; the next call starts another worker, which reads the storage and then the source.
 */

import { onAbort } from "../errors/abortable.ts";
import { badOption, coded, EspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { SEARCH, WORK } from "../options/schemas/search.ts";
import { listenTo } from "../tokens/worker-like.ts";
import type { WorkerLike } from "../tokens/worker-like.ts";
import { contentVersion } from "../files/hash.ts";
import { KeptTexts } from "./kept.ts";
import type {
  FileNote,
  FileSource,
  IndexOptions,
  IndexReport,
  IndexState,
  ListedFile,
  SearchAnswer,
  SearchFile,
  SearchOptions,
  WorkOptions,
  WorkspaceIndex,
} from "./types.ts";
import { needFile, needFiles } from "./updating.ts";
import { errorText, Warnings } from "./warnings.ts";
import { follow } from "./watching.ts";
import { crossed, LISTED, PUT, PUT_LENGTH } from "./worker-protocol.ts";
import type { CrossedError, FromSearchWorker, Method, ToSearchWorker } from "./worker-protocol.ts";

interface Call {
  resolve: (value: any) => void;
  reject: (error: unknown) => void;
  /** Callbacks of this call, by name. */
  callbacks: Record<string, (args: any[], signal: AbortSignal) => unknown>;
  onProgress: WorkOptions["onProgress"];
}

type Listing = {
  iterator: AsyncIterator<ListedFile> | Iterator<ListedFile>;
  notes: FileNote[];
  controller: AbortController;
};
/** Max errors of the host's callbacks that are kept for the calls that fail with them. */
const ERRORS = 100;
/** Milliseconds without a message after which an opening worker counts as dead. */
const SILENCE = 60_000;

export class WorkerIndex implements WorkspaceIndex {
  private readonly options: IndexOptions;
  private readonly vocabulary: Uint8Array | string;
  private readonly source: FileSource;
  private readonly kept: KeptTexts | undefined;
  private readonly warnings: Warnings;
  private readonly calls = new Map<number, Call>();
  private readonly asked = new Map<number, AbortController>();
  private readonly errors = new Map<number, unknown>();
  private readonly listings = new Map<number, Listing>();
  private readonly watches = new Set<() => void>();
  private worker: WorkerLike | undefined;
  private starting: Promise<void> | undefined;
  private isDead = false;
  private isOpening = false;
  /** Runs while the worker opens. */
  private silence: ReturnType<typeof setTimeout> | undefined;
  private isDisposed = false;
  private next = 1;

  constructor(options: IndexOptions, vocabulary: Uint8Array | string) {
    this.options = options;
    this.vocabulary = vocabulary;
    this.kept = options.source ? undefined : new KeptTexts();
    this.source = options.source ?? this.kept!;
    this.warnings = new Warnings(options.onWarning);
  }

  /** Starts the worker, which loads the stored index. */
  open(): Promise<void> {
    this.starting ??= this.start().catch((error: unknown) => {
      this.stop();
      throw error;
    });
    return this.starting;
  }

  async sync(options: WorkOptions = {}): Promise<IndexReport> {
    return this.work("sync", [], options);
  }

  async put(files: Iterable<SearchFile> | AsyncIterable<SearchFile>, options: WorkOptions = {}): Promise<IndexReport> {
    needFiles(files);
    return this.work("put", [], options, { files: this.batches(files) });
  }

  async refresh(paths: readonly string[], options: WorkOptions = {}): Promise<IndexReport> {
    return this.work("refresh", [paths], options);
  }

  async remove(paths: readonly string[]): Promise<IndexReport> {
    const report = await this.work<IndexReport>("remove", [paths], {});
    for (const path of paths) this.kept?.files.delete(path);
    return report;
  }

  watch(options: { onChange?: (report: IndexReport) => void; onError?: (error: unknown) => void } = {}): () => void {
    this.needOpen();
    return follow(this, this.source, this.warnings, this.watches, options);
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    const { signal, ...rest } = check(options, SEARCH);
    const callbacks: Call["callbacks"] = {};
    const plain: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(rest as Record<string, unknown>)) {
      if (typeof value !== "function") plain[name] = value;
      else if (name === "filter")
        callbacks[name] = ([paths]) => (paths as string[]).map((path) => value(path) === true);
      else callbacks[name] = (args, own) => value(...withSignal(args, own));
    }
    return this.call("search", [query], plain, callbacks, signal);
  }

  async state(): Promise<IndexState> {
    const state = await this.call<IndexState>("state", [], {}, {});
    let length = 0;
    for (const { text } of this.kept?.files.values() ?? []) length += text.length;
    return { ...state, memory: state.memory + length };
  }

  async save(options: WorkOptions = {}): Promise<{ written: number; bytes: number; deleted: number }> {
    return this.work("save", [], options);
  }

  async dispose(): Promise<void> {
    if (this.isDisposed) return;
    for (const stop of [...this.watches]) stop();
    this.isDisposed = true;
    this.stop();
    this.kept?.files.clear();
    this.fail(disposed());
  }

  // ---------------------------------------------------------------- calls

  private needOpen(): void {
    if (this.isDisposed) throw disposed();
  }

  private work<T>(
    method: Method,
    args: unknown[],
    options: WorkOptions,
    callbacks: Call["callbacks"] = {},
  ): Promise<T> {
    const { signal, onProgress } = check(options, WORK);
    return this.call(method, args, {}, callbacks, signal, onProgress);
  }

  private async call<T>(
    method: Method,
    args: unknown[],
    options: Record<string, unknown>,
    callbacks: Call["callbacks"],
    signal?: AbortSignal,
    onProgress?: WorkOptions["onProgress"],
  ): Promise<T> {
    signal?.throwIfAborted();
    this.needOpen();
    await this.open();
    this.needOpen();
    const names = [...Object.keys(callbacks), ...(onProgress ? ["onProgress"] : [])];
    return this.post<T>(
      (id) => ({ type: "call", id, method, args, options, callbacks: names }),
      callbacks,
      signal,
      onProgress,
    );
  }

  private post<T>(
    message: (id: number) => ToSearchWorker,
    callbacks: Call["callbacks"] = {},
    signal?: AbortSignal,
    onProgress?: WorkOptions["onProgress"],
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const id = this.next++;
      const unheard = onAbort(signal, () => {
        this.calls.get(id)?.reject(signal?.reason);
        this.send({ type: "abort", id });
      });
      const finish = () => {
        this.calls.delete(id);
        unheard();
      };
      this.calls.set(id, {
        resolve: (value) => (finish(), resolve(value)),
        reject: (error) => (finish(), reject(error)),
        callbacks,
        onProgress,
      });
      try {
        this.send(message(id));
      } catch (cause) {
        this.calls.get(id)?.reject(
          new EspalierError({
            code: "bad_input",
            message: `The arguments cannot be passed to the worker: ${errorText(cause)}`,
            path: "arguments",
            cause,
          }),
        );
      }
    });
  }

  private send(message: ToSearchWorker): void {
    this.worker?.postMessage(message);
  }

  // ---------------------------------------------------------------- the worker's life

  private async start(): Promise<void> {
    const wasDead = this.isDead;
    const worker = needWorker(this.options.worker!());
    this.worker = worker;
    this.isOpening = true;
    this.listen();
    listenTo(
      worker,
      (message) => this.worker === worker && this.received(message as FromSearchWorker),
      (cause) => this.worker === worker && this.died(cause),
    );
    const { profile, encoding, maxChunkTokens, sliceMs, embeddings, definitions, storage } = this.options;
    const { embed: _, ...model } = embeddings ?? { model: "" };
    await this.post((id) => ({
      type: "open",
      id,
      options: {
        profile,
        encoding,
        maxChunkTokens,
        sliceMs,
        hasDefinitions: definitions !== undefined,
        hasStorage: storage !== undefined,
        embeddings: embeddings && model,
        vocabulary: this.vocabulary,
      },
    }));
    this.isOpening = false;
    clearTimeout(this.silence);
    this.isDead = false;
    if (!wasDead) return;
    await this.post((id) => ({ type: "call", id, method: "sync", args: [], options: {}, callbacks: [] }));
    this.warnings.add("rebuilt", "The worker died; another one rebuilt the index.");
  }

  /** Restarts the timer after which a silent opening worker counts as dead. */
  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.died(new Error(`it sent nothing for ${SILENCE} ms`)), SILENCE);
  }

  private died(cause: unknown): void {
    this.isDead = true;
    this.stop();
    const { message } = (cause ?? {}) as { message?: unknown };
    const why = typeof message === "string" && message !== "" ? message : "no reason was given";
    this.fail(
      new EspalierError({
        code: "worker_failed",
        message: `The search worker died (${why}). The next call starts another one.`,
        cause,
      }),
    );
  }

  private stop(): void {
    const { worker } = this;
    clearTimeout(this.silence);
    this.isOpening = false;
    // Cleared first, so that this end does not count as a death.
    this.worker = undefined;
    this.starting = undefined;
    for (const controller of this.asked.values()) controller.abort();
    for (const { controller } of this.listings.values()) controller.abort();
    this.asked.clear();
    this.listings.clear();
    worker?.terminate();
  }

  private fail(error: EspalierError): void {
    for (const call of [...this.calls.values()]) call.reject(error);
  }

  // ---------------------------------------------------------------- answers and questions

  private received(message: FromSearchWorker): void {
    if (this.isOpening) this.listen();
    switch (message.type) {
      case "done":
        return this.calls.get(message.id)?.resolve(message.value);
      case "failed":
        return this.calls.get(message.id)?.reject(this.original(message.error));
      case "warning":
        return this.warnings.add(message.warning.code, message.warning.message);
      case "drop": {
        this.asked.get(message.id)?.abort();
        return void this.asked.delete(message.id);
      }
      case "ask":
        return void this.answer(message);
      case "progress":
        try {
          this.calls.get(message.id)?.onProgress?.(message.progress);
        } catch {
          // An error of the callback does not stop the work that it watches.
        }
    }
  }

  private original(error: CrossedError): unknown {
    if (error.ask !== undefined && this.errors.has(error.ask)) return this.errors.get(error.ask);
    if (error.code !== undefined) return coded({ ...error, code: error.code });
    return new EspalierError({ code: "worker_failed", message: error.message });
  }

  private async answer({ id, call, name, args }: Extract<FromSearchWorker, { type: "ask" }>): Promise<void> {
    const controller = new AbortController();
    const { worker } = this;
    this.asked.set(id, controller);
    const reply = (message: ToSearchWorker) => {
      if (this.worker === worker && this.asked.delete(id)) this.send(message);
    };
    try {
      const value = await this.carryOut(call, name, args as any[], controller.signal);
      if (!this.asked.has(id)) return;
      this.send({ type: "answer", id, value });
      this.asked.delete(id);
    } catch (error) {
      this.errors.set(id, error);
      if (this.errors.size > ERRORS) this.errors.delete(this.errors.keys().next().value!);
      reply({ type: "refuse", id, error: crossed(error) });
    }
  }

  private carryOut(call: number, name: string, args: any[], signal: AbortSignal): unknown {
    const { storage, definitions, embeddings } = this.options;
    if (call !== 0) return this.calls.get(call)?.callbacks[name]?.(args, signal);
    switch (name) {
      case "source.list":
        return this.list();
      case "source.next":
        return this.listNext(args[0]);
      case "source.end":
        return this.listEnd(args[0]);
      case "source.read":
        return this.source.read(args[0]);
      case "storage.readBytes":
        return storage?.readBytes(args[0]);
      case "storage.writeBytes":
        return storage?.writeBytes(args[0], args[1]);
      case "storage.list":
        return storage?.list(args[0]);
      case "storage.delete":
        return storage?.delete(args[0]);
      case "definitions":
        return definitions?.(args[0]);
      case "embed":
        return embeddings?.embed(args[0], { kind: args[1], signal });
      default:
        throw new EspalierError({
          code: "worker_failed",
          message: `The worker asked for ${name}, which this version does not know.`,
        });
    }
  }

  private list(): number {
    const controller = new AbortController();
    const notes: FileNote[] = [];
    const files = this.source.list({ signal: controller.signal, note: (note) => void notes.push(note) });
    const iterator = Symbol.asyncIterator in files ? files[Symbol.asyncIterator]() : files[Symbol.iterator]();
    const id = this.next++;
    this.listings.set(id, { iterator, notes, controller });
    return id;
  }

  private async listNext(id: number): Promise<{ files: ListedFile[]; notes: FileNote[]; isDone: boolean }> {
    const listing = this.listings.get(id);
    const files: ListedFile[] = [];
    while (listing && files.length < LISTED) {
      const { value, done } = await listing.iterator.next();
      if (done) return { files, notes: listing.notes.splice(0), isDone: true };
      files.push(value);
    }
    return { files, notes: listing?.notes.splice(0) ?? [], isDone: !listing };
  }

  private async listEnd(id: number): Promise<void> {
    const listing = this.listings.get(id);
    this.listings.delete(id);
    listing?.controller.abort();
    await listing?.iterator.return?.();
  }

  /** Passes files on in batches, and keeps their texts if there is no source to read them from. */
  private batches(
    files: Iterable<SearchFile> | AsyncIterable<SearchFile>,
  ): () => Promise<{ files: SearchFile[]; isDone: boolean }> {
    const iterator = Symbol.asyncIterator in files ? files[Symbol.asyncIterator]() : files[Symbol.iterator]();
    let count = 0;
    return async () => {
      const batch: SearchFile[] = [];
      for (let length = 0; batch.length < PUT && length < PUT_LENGTH; ) {
        const { value, done } = await iterator.next();
        if (done) return { files: batch, isDone: true };
        const { path, text, version = contentVersion(text), definitions } = needFile(value, `files[${count++}]`);
        this.kept?.files.set(path, { text, version, definitions });
        batch.push({ path, text, version, definitions });
        length += text.length;
      }
      return { files: batch, isDone: false };
    };
  }
}

function needWorker(worker: WorkerLike): WorkerLike {
  if (typeof worker?.postMessage === "function" && typeof worker.terminate === "function") return worker;
  throw badOption("worker", "a function that returns a worker", worker);
}

/** Adds the signal to the last argument, if it is an object of options. */
function withSignal(args: any[], signal: AbortSignal): any[] {
  const last: unknown = args.at(-1);
  const isOptions = typeof last === "object" && last !== null && !Array.isArray(last);
  return isOptions ? [...args.slice(0, -1), { ...last, signal }] : args;
}

function disposed(): EspalierError {
  return new EspalierError({ code: "disposed", message: "The index is disposed." });
}
