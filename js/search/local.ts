/**
 * An index in this thread. Work runs in slices, so that the thread stays responsive; changes run one after the other,
 * with searches in between.
 *
 * `updating` changes files, `persist` saves and loads, `embed` makes vectors, `held` is the engine's half.
 */

import { EspalierError } from "../errors/errors.ts";
import { check } from "../options/check.ts";
import { WORK } from "../options/schemas/search.ts";
import { Embedder } from "./embed.ts";
import { Held } from "./held.ts";
import type { Chunk } from "./held.ts";
import { KeptTexts } from "./kept.ts";
import { Persisted } from "./persist.ts";
import type { SaveReport } from "./persist.ts";
import { search } from "./search.ts";
import { abortable } from "../errors/abortable.ts";
import { Slices } from "./slices.ts";
import type {
  FileSource,
  IndexOptions,
  IndexProgress,
  IndexReport,
  IndexState,
  SearchAnswer,
  SearchFile,
  SearchOptions,
  WorkOptions,
  WorkspaceIndex,
} from "./types.ts";
import type { EncodingName } from "../types/count.ts";
import { Updating } from "./updating.ts";
import { errorText, Warnings } from "./warnings.ts";
import { follow } from "./watching.ts";

/** A path filter that may run elsewhere. */
export type PathFilter = (paths: readonly string[]) => Promise<readonly boolean[]> | readonly boolean[];

export class LocalIndex implements WorkspaceIndex {
  readonly sliceMs: number;
  readonly profile: NonNullable<IndexOptions["profile"]>;
  readonly encoding: EncodingName;
  private readonly held: Held;
  private readonly warnings: Warnings;
  private readonly source: FileSource;
  private readonly kept: KeptTexts | undefined;
  private readonly persisted: Persisted | undefined;
  private readonly embedder: Embedder | undefined;
  private readonly model: string | undefined;
  private readonly updating: Updating;
  /** Changes, one after the other. */
  private queue: Promise<unknown> = Promise.resolve();
  private restoring: Promise<void> | undefined;
  private isDisposed = false;
  private readonly watches = new Set<() => void>();

  /** The caller has checked the options and loaded engine and vocabulary. */
  constructor(options: IndexOptions) {
    const {
      profile = "espalier",
      encoding = "o200k_base",
      maxChunkTokens = 250,
      sliceMs = 8,
      embeddings,
      definitions,
      storage,
    } = options;
    this.sliceMs = sliceMs;
    this.profile = profile;
    this.encoding = encoding;
    this.model = embeddings?.model;
    this.held = new Held({
      profile,
      encoding,
      maxChunkTokens,
      hasDefinitions: definitions !== undefined,
      model: this.model ?? "",
    });
    this.warnings = new Warnings(options.onWarning);
    this.kept = options.source ? undefined : new KeptTexts();
    this.source = options.source ?? this.kept!;
    this.persisted = storage && new Persisted(storage, this.warnings);
    this.embedder = embeddings && new Embedder(embeddings, this.held, this.warnings);
    this.updating = new Updating({
      held: this.held,
      warnings: this.warnings,
      source: this.source,
      kept: this.kept,
      definitions,
      restore: () => this.load(),
    });
  }

  /** Loads the stored index. */
  async load(options: WorkOptions = {}): Promise<void> {
    const progress = progressOf(options);
    if (!this.held.isCurrent) this.held.renew();
    await this.persisted?.load(this.held, this.model, new Slices(this.sliceMs, options.signal), (done, total) =>
      progress({ phase: "load", done, total }),
    );
    this.updating.readSkipped();
  }

  async sync(options: WorkOptions = {}): Promise<IndexReport> {
    return this.change(options, async (report, slices, progress) => {
      await this.updating.sync(report, slices, options.signal, progress);
      await this.compact(slices);
      await this.saveNow(slices, progress);
    });
  }

  async put(files: Iterable<SearchFile> | AsyncIterable<SearchFile>, options: WorkOptions = {}): Promise<IndexReport> {
    return this.change(options, (report, slices, progress) =>
      this.updating.put(files, report, slices, options.signal, progress),
    );
  }

  async refresh(paths: readonly string[], options: WorkOptions = {}): Promise<IndexReport> {
    const checked = needPaths(paths);
    return this.change(options, (report, slices, progress) =>
      this.updating.refresh(checked, report, slices, options.signal, progress),
    );
  }

  async remove(paths: readonly string[]): Promise<IndexReport> {
    const checked = needPaths(paths);
    return this.change({}, async (report) => void (report.removed += this.updating.remove(checked)));
  }

  watch(options: { onChange?: (report: IndexReport) => void; onError?: (error: unknown) => void } = {}): () => void {
    this.needOpen();
    return follow(this, this.source, this.warnings, this.watches, options);
  }

  /** `pathFilter` replaces `options.filter` if the filter runs elsewhere. */
  async search(query: string, options: SearchOptions = {}, pathFilter?: PathFilter): Promise<SearchAnswer> {
    await this.whole();
    return search(this, query, options, pathFilter);
  }

  async state(): Promise<IndexState> {
    await this.whole();
    return this.stateNow();
  }

  async save(options: WorkOptions = {}): Promise<SaveReport> {
    check(options, WORK);
    return this.exclusive(async () => {
      await this.whole(options.signal);
      return this.saveNow(new Slices(this.sliceMs, options.signal), progressOf(options));
    });
  }

  async dispose(): Promise<void> {
    if (this.isDisposed) return;
    for (const stop of [...this.watches]) stop();
    this.isDisposed = true;
    this.held.free();
    this.kept?.files.clear();
  }

  // ---------------------------------------------------------------- what a search needs

  stateNow(): IndexState {
    this.needOpen();
    const [files = 0, chunks = 0, terms = 0, memory = 0, vectors = 0, revision = 0] = this.held.use((handle) =>
      handle.state(),
    );
    const { skipped, skippedFiles, pending } = this.updating;
    const warnings = [...this.warnings.newest];
    return {
      files: files - skippedFiles,
      chunks,
      pending,
      skipped,
      terms,
      memory: memory + this.updating.memory,
      vectors,
      revision,
      warnings,
    };
  }

  get hasEmbeddings(): boolean {
    return this.embedder !== undefined;
  }

  /** Returns the number of searched files and the tokens of their chunks; examines at most `max` files. */
  wholeSize(max: number): { files: number; tokens: number } {
    const [files = 0, tokens = 0] = this.held.use((handle) => handle.wholeSize(max));
    return { files, tokens };
  }

  /** Returns the paths of all searched files, sorted. */
  paths(): string[] {
    return this.updating.searchedPaths().sort();
  }

  /** Returns the chunks of a file, in the order of its text. */
  chunksOf(path: string): Chunk[] {
    return this.held.chunks((handle) => handle.chunksOf(path));
  }

  /** Returns the best chunks by words, best first. */
  lexical(
    query: string,
    options: { maxResults: number; contributions?: boolean | undefined; filter?: PathFilter | undefined },
  ): Promise<Chunk[]> {
    const { maxResults, contributions = false, filter } = options;
    return takePassing(maxResults, filter, (max) =>
      this.held.chunks((handle) => handle.search(query, max, contributions)),
    );
  }

  /** Makes the vector of a query for {@link nearest}. */
  async embedQuery(query: string, signal?: AbortSignal): Promise<void> {
    await this.embedder?.query(query, signal);
  }

  /** Returns the chunks whose vectors are nearest to the query's, with a similarity above 0. */
  async nearest(
    query: string,
    options: { maxResults: number; filter?: PathFilter | undefined; signal?: AbortSignal | undefined },
  ): Promise<Chunk[]> {
    if (!this.embedder) return [];
    const vector = await this.embedder.query(query, options.signal);
    this.needOpen();
    return takePassing(options.maxResults, options.filter, (max) =>
      this.held.chunks((handle) => handle.nearest(vector, max, 0)),
    );
  }

  /**
   * Reads the text of a file. A file that changed since it was indexed is indexed again first: `version` then differs
   * from that of its chunks. Returns nothing if it is gone or no longer searched.
   */
  async textOf(path: string, signal?: AbortSignal): Promise<{ text: string; version: string } | undefined> {
    const read = await this.updating.readAgain(path, signal);
    this.needOpen();
    return read;
  }

  // ---------------------------------------------------------------- inside

  private needOpen(): void {
    if (this.isDisposed) throw new EspalierError({ code: "disposed", message: "The index is disposed." });
  }

  /** Runs changes one after the other; a failing one does not block the next. */
  private exclusive<T>(work: () => Promise<T>): Promise<T> {
    const run = this.queue.then(async () => {
      this.needOpen();
      return work();
    });
    this.queue = run.catch(() => {});
    return run;
  }

  private change(
    options: WorkOptions,
    work: (report: IndexReport, slices: Slices, progress: (progress: IndexProgress) => void) => Promise<void>,
  ): Promise<IndexReport> {
    check(options, WORK);
    return this.exclusive(async () => {
      const start = performance.now();
      const report: IndexReport = { added: 0, changed: 0, unchanged: 0, removed: 0, notes: [], warnings: [], ms: 0 };
      const end = this.warnings.collect(report.warnings);
      try {
        await this.whole(options.signal);
        const progress = progressOf(options);
        const slices = new Slices(this.sliceMs, options.signal);
        await work(report, slices, progress);
        await this.embed(slices, options.signal, progress);
      } finally {
        end();
      }
      report.ms = performance.now() - start;
      return report;
    });
  }

  private async embed(
    slices: Slices,
    signal: AbortSignal | undefined,
    progress: (progress: IndexProgress) => void,
  ): Promise<void> {
    if (!this.embedder) return;
    const before = this.stateNow().vectors;
    const text = async (path: string, version: string) => {
      const read = await this.textOf(path, signal);
      return read?.version === version ? read.text : undefined;
    };
    await this.embedder.chunks(text, slices, signal, (done, total) => progress({ phase: "embed", done, total }));
    if (this.stateNow().vectors !== before) await this.saveNow(slices, progress);
  }

  private async saveNow(slices: Slices, progress: (progress: IndexProgress) => void): Promise<SaveReport> {
    return (await this.persisted?.save(this.held, slices, progress)) ?? { written: 0, bytes: 0, deleted: 0 };
  }

  private async compact(slices: Slices): Promise<void> {
    while (this.held.use((handle) => handle.compactStep())) await slices.next();
  }

  /** Rebuilds the index after a crash of the engine: from the storage, then from the source. */
  private async whole(signal?: AbortSignal): Promise<void> {
    this.needOpen();
    if (this.held.isCurrent && !this.restoring) return;
    this.restoring ??= this.restore().finally(() => (this.restoring = undefined));
    await abortable(this.restoring, signal);
    this.needOpen();
  }

  private async restore(): Promise<void> {
    await this.load();
    const report: IndexReport = { added: 0, changed: 0, unchanged: 0, removed: 0, notes: [], warnings: [], ms: 0 };
    let from = this.persisted ? "the storage" : "nothing";
    try {
      await this.updating.sync(report, new Slices(this.sliceMs, undefined), undefined, () => {});
      from = `${this.persisted ? "the storage and " : ""}${this.kept ? "the texts that were put" : "the source"}`;
    } catch (error) {
      this.warnings.add("rebuilt", `The source could not be read: ${errorText(error)}`, error);
    }
    const { files } = this.stateNow();
    this.warnings.add("rebuilt", `The engine crashed; the index was rebuilt from ${from} (${files} files).`);
  }
}

/** Fetches more until enough paths pass the filter, or there are no more. */
async function takePassing(
  max: number,
  filter: PathFilter | undefined,
  search: (max: number) => Chunk[],
): Promise<Chunk[]> {
  if (!filter) return search(max);
  const known = new Map<string, boolean>();
  for (let asked = max * 2; ; asked *= 4) {
    const found = search(asked);
    const unknown = [...new Set(found.map(({ path }) => path))].filter((path) => !known.has(path));
    const passed = await filter(unknown);
    for (const [at, path] of unknown.entries()) known.set(path, passed[at] === true);
    const kept = found.filter(({ path }) => known.get(path));
    if (kept.length >= max || found.length < asked) return kept.slice(0, max);
  }
}

function needPaths(paths: unknown): readonly string[] {
  // A copy has no holes, which `every` skips.
  const all: unknown[] = Array.isArray(paths) ? Array.from(paths) : [undefined];
  if (all.every((path) => typeof path === "string")) return all;
  throw new EspalierError({ code: "bad_input", message: "paths must be a list of texts", path: "paths" });
}

/** Returns the host's progress callback; its errors do not stop the work. */
function progressOf({ onProgress }: WorkOptions): (progress: IndexProgress) => void {
  return (progress) => {
    try {
      onProgress?.(progress);
    } catch {
      // An error of the callback does not stop the work that it watches.
    }
  };
}
