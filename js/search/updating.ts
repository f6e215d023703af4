/** Brings an index up to date: compares the source's list, reads new and changed files, removes missing ones. */

import { isCrash } from "../engine/engine.ts";
import { EspalierError } from "../errors/errors.ts";
import { contentVersion } from "../files/hash.ts";
import type { Held } from "./held.ts";
import type { KeptTexts } from "./kept.ts";
import { abortable } from "../errors/abortable.ts";
import { iterate, callWithTimeout } from "./slices.ts";
import type { Slices } from "./slices.ts";
import type {
  FileNote,
  FileSource,
  IndexOptions,
  IndexProgress,
  IndexReport,
  SearchDefinition,
  SearchFile,
} from "./types.ts";
import { errorText } from "./warnings.ts";
import type { Warnings } from "./warnings.ts";

/** Max files that are compared in one call of the engine. */
const COMPARED = 2_000;
/** Max files that are read at the same time. */
const READS = 16;
/** Max notes of a report. */
const NOTES = 1_000;
/** Milliseconds after which a read, or the callback for definitions, counts as failed. */
const TIMEOUT = 60_000;
/** Max crashes of the engine that one operation survives. */
const CRASHES = 8;
/** Reasons that stay true for a version of a file: it is not read again. */
const LASTING: ReadonlySet<string> = new Set(["binary", "tooLarge", "minified", "encoding", "refused"]);

type Progress = (progress: IndexProgress) => void;
/** A file as it was read. */
type Read = { text: string; version: string; definitions?: readonly SearchDefinition[] | undefined };

export interface Parts {
  held: Held;
  warnings: Warnings;
  source: FileSource;
  kept: KeptTexts | undefined;
  definitions: IndexOptions["definitions"];
  /** Replaces an index whose engine crashed by the stored one. */
  restore: () => Promise<void>;
}

export class Updating {
  /** Number of files that are listed but not indexed yet. */
  pending = 0;
  private readonly parts: Parts;
  /** Reasons by path, for files that are not searched. */
  private reasons = new Map<string, FileNote["reason"]>();
  /** Those files that the index remembers by version. */
  private remembered = new Set<string>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  get skipped(): Partial<Record<FileNote["reason"], number>> {
    const counts: Partial<Record<FileNote["reason"], number>> = {};
    for (const reason of this.reasons.values()) counts[reason] = (counts[reason] ?? 0) + 1;
    return counts;
  }

  get skippedFiles(): number {
    return this.remembered.size;
  }

  /** Bytes of the texts from `put`, which JavaScript keeps. */
  get memory(): number {
    let length = 0;
    for (const { text } of this.parts.kept?.files.values() ?? []) length += text.length;
    return length;
  }

  /** Reads from a loaded index which files it remembers as skipped. */
  readSkipped(): void {
    const found = this.parts.held.use((handle) => handle.skipped());
    this.remembered = new Set();
    for (let at = 0; at < found.length; at += 2) {
      this.remembered.add(found[at]!);
      this.reasons.set(found[at]!, found[at + 1] as FileNote["reason"]);
    }
  }

  searchedPaths(): string[] {
    return this.parts.held.use((handle) => handle.paths()).filter((path) => !this.remembered.has(path));
  }

  async sync(report: IndexReport, slices: Slices, signal: AbortSignal | undefined, progress: Progress): Promise<void> {
    const { held } = this.parts;
    const reasons = new Map<string, FileNote["reason"]>();
    const note = (one: FileNote) => {
      needNote(one);
      addNote(report, one);
      reasons.set(one.path, one.reason);
    };
    const listed = await this.list(note, slices, signal, progress);
    for (const path of this.remembered) if (listed.has(path)) reasons.set(path, this.reasons.get(path)!);
    this.reasons = reasons;
    await this.surviving(report, async () => {
      const wanted: string[] = [];
      let [unchanged, present] = [0, 0];
      const entries = [...listed];
      for (let at = 0; at < entries.length; at += COMPARED) {
        const part = entries.slice(at, at + COMPARED);
        const same = held.use((handle) =>
          handle.compare(
            part.map(([path]) => path),
            part.map(([, version]) => version),
          ),
        );
        for (const [index, [path]] of part.entries()) {
          if (same[index] !== 0) present += 1;
          if (same[index] !== 2) wanted.push(path);
          else if (!this.remembered.has(path)) unchanged += 1;
        }
        await slices.next();
      }
      report.unchanged = unchanged;
      // Fetching all paths is slow if there are many.
      const isMore = held.use((handle) => handle.state())[0]! > present;
      const gone = isMore ? held.use((handle) => handle.paths()).filter((path) => !listed.has(path)) : [];
      for (let at = 0; at < gone.length; at += COMPARED) {
        report.removed += this.remove(gone.slice(at, at + COMPARED));
        await slices.next();
      }
      await this.readAll(wanted, listed, report, slices, signal, progress);
    });
  }

  async refresh(
    paths: readonly string[],
    report: IndexReport,
    slices: Slices,
    signal: AbortSignal | undefined,
    progress: Progress,
  ): Promise<void> {
    await this.surviving(report, () => this.readAll([...new Set(paths)], undefined, report, slices, signal, progress));
  }

  /** Removes files. Returns how many of them were searched. */
  remove(paths: readonly string[]): number {
    const { held, kept } = this.parts;
    const searched = paths.filter((path) => !this.remembered.has(path));
    const removed = held.use((handle) => handle.remove([...searched]));
    held.use((handle) => handle.remove(paths.filter((path) => this.remembered.delete(path))));
    for (const path of paths) {
      kept?.files.delete(path);
      this.reasons.delete(path);
    }
    return removed;
  }

  async put(
    files: unknown,
    report: IndexReport,
    slices: Slices,
    signal: AbortSignal | undefined,
    progress: Progress,
  ): Promise<void> {
    needFiles(files);
    const seen = new Set<string>();
    let done = 0;
    for await (const file of iterate(files as Iterable<SearchFile>, signal)) {
      const { path, text, version, definitions } = needFile(file, `files[${done}]`);
      if (seen.has(path)) addNote(report, { path, reason: "duplicate", detail: "the last one counts" });
      seen.add(path);
      const read = { text, version: version ?? contentVersion(text), definitions };
      this.parts.kept?.files.set(path, read);
      await this.surviving(report, () => this.enter(path, read, report, signal));
      progress({ phase: "index", done: (done += 1) });
      await slices.next();
    }
  }

  /** Reads a file of the source, and indexes it if it has changed. Returns nothing if it is no longer searched. */
  async readAgain(path: string, signal: AbortSignal | undefined): Promise<Read | undefined> {
    const read = await this.read(path, signal);
    if ("reason" in read) {
      this.leaveOut(read, undefined);
      return undefined;
    }
    const version = this.parts.held.use((handle) => handle.version(path));
    if (version !== read.version) await this.enter(path, read, emptyReport(), signal);
    return read;
  }

  // ---------------------------------------------------------------- inside

  private async list(
    note: (note: FileNote) => void,
    slices: Slices,
    signal: AbortSignal | undefined,
    progress: Progress,
  ): Promise<Map<string, string>> {
    const listed = new Map<string, string>();
    for await (const file of iterate(this.parts.source.list({ signal, note }), signal)) {
      const { path, version } = (file ?? {}) as { path?: unknown; version?: unknown };
      if (typeof path !== "string" || path === "" || typeof version !== "string") {
        throw new EspalierError({
          code: "bad_input",
          message: "options.source.list must yield files with path and version",
          path: "options.source",
        });
      }
      if (listed.has(path)) note({ path, reason: "duplicate", detail: "listed twice; the first one counts" });
      else listed.set(path, version);
      if (listed.size % 256 === 0) progress({ phase: "list", done: listed.size });
      await slices.next();
    }
    progress({ phase: "list", done: listed.size, total: listed.size });
    return listed;
  }

  /** Reads files, several at the same time, and indexes them in their order. */
  private async readAll(
    paths: readonly string[],
    listed: ReadonlyMap<string, string> | undefined,
    report: IndexReport,
    slices: Slices,
    signal: AbortSignal | undefined,
    progress: Progress,
  ): Promise<void> {
    const reading: Promise<Read | FileNote>[] = [];
    const ask = () => {
      const path = paths[reading.length];
      if (path === undefined) return;
      // Without the signal, because each read would listen to it.
      const one = this.read(path, undefined);
      // An abort leaves unawaited reads behind.
      one.catch(() => {});
      reading.push(one);
    };
    for (let ahead = 0; ahead < READS; ahead += 1) ask();
    this.pending = paths.length;
    try {
      for (const [at, path] of paths.entries()) {
        const read = await abortable(reading[at]!, signal);
        // Frees the text.
        reading[at] = undefined!;
        ask();
        if ("reason" in read) this.notSearched(read, listed?.get(path), report);
        else await this.enter(path, read, report, signal);
        this.pending -= 1;
        progress({ phase: "index", done: at + 1, total: paths.length });
        await slices.next();
      }
    } finally {
      this.pending = 0;
    }
  }

  private notSearched(note: FileNote, version: string | undefined, report: IndexReport): void {
    const { path, reason } = note;
    // A missing folder takes its files along.
    const below =
      version === undefined && reason === "gone" ? this.parts.held.use((handle) => handle.pathsBelow(`${path}/`)) : [];
    if (below.length > 0) report.removed += this.remove(below);
    if (this.leaveOut(note, version)) report.removed += 1;
    else if (below.length > 0) return;
    addNote(report, note);
  }

  /** Removes a file from the index. Returns true if it was searched. */
  private leaveOut({ path, reason }: FileNote, version: string | undefined): boolean {
    const { held } = this.parts;
    const wasSearched = this.remove([path]) > 0;
    if (reason === "gone") return wasSearched;
    this.reasons.set(path, reason);
    if (version !== undefined && LASTING.has(reason)) {
      held.use((handle) => handle.skip(path, version, reason));
      this.remembered.add(path);
    }
    return wasSearched;
  }

  private async read(path: string, signal: AbortSignal | undefined): Promise<Read | FileNote> {
    let read: unknown;
    try {
      read = await callWithTimeout(TIMEOUT, signal, "options.source.read", () => this.parts.source.read(path));
    } catch (error) {
      signal?.throwIfAborted();
      return { path, reason: "unreadable", detail: errorText(error) };
    }
    const { text, version, reason, detail } = (read ?? {}) as Partial<Read & FileNote>;
    if (typeof reason === "string") return { path, reason, ...(detail !== undefined && { detail }) };
    if (typeof text === "string" && typeof version === "string") return read as Read;
    throw new EspalierError({
      code: "bad_input",
      message: "options.source.read must return a text with its version, or a note",
      path: "options.source",
    });
  }

  /** Indexes a file. */
  private async enter(path: string, read: Read, report: IndexReport, signal: AbortSignal | undefined): Promise<void> {
    const { held } = this.parts;
    const { text, version } = read;
    const before = held.use((handle) => handle.version(path));
    if (before === version) {
      report.unchanged += 1;
      return;
    }
    const definitions = read.definitions ?? (await this.definitionsOf(path, text, signal)) ?? [];
    try {
      const ranges = new Uint32Array(definitions.length * 2);
      for (const [at, { start, end }] of definitions.entries()) ranges.set([start, end], at * 2);
      held.use((handle) =>
        handle.put(
          path,
          version,
          text,
          definitions.map(({ name }) => name),
          ranges,
        ),
      );
    } catch (error) {
      if (!isCrash(error)) {
        this.notSearched({ path, reason: "refused", detail: errorText(error) }, version, report);
        return;
      }
      // The file is left out from now on, so it crashes the engine only once.
      this.culprit = { path, version, detail: errorText(error) };
      throw error;
    }
    this.remembered.delete(path);
    this.reasons.delete(path);
    report[before === undefined ? "added" : "changed"] += 1;
  }

  /** The file that crashed the engine. */
  private culprit: { path: string; version: string; detail: string } | undefined;

  /** Repeats work after a crash of the engine, without the file that crashed it. */
  private async surviving(report: IndexReport, work: () => Promise<void>): Promise<void> {
    for (let crashes = 1; ; crashes += 1) {
      try {
        return await work();
      } catch (error) {
        const { culprit } = this;
        this.culprit = undefined;
        if (!culprit || crashes > CRASHES || (error as { code?: unknown }).code !== "engine_crashed") throw error;
        await this.parts.restore();
        this.parts.warnings.add(
          "rebuilt",
          `The engine crashed on ${culprit.path}, which is left out; the index was rebuilt.`,
          error,
        );
        this.notSearched({ path: culprit.path, reason: "refused", detail: culprit.detail }, culprit.version, report);
      }
    }
  }

  private async definitionsOf(
    path: string,
    text: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly SearchDefinition[] | undefined> {
    const { definitions, warnings } = this.parts;
    if (!definitions) return undefined;
    try {
      const found = await callWithTimeout(TIMEOUT, signal, "options.definitions", () => definitions({ path, text }));
      if (found !== undefined) needDefinitions(found, "options.definitions");
      return found;
    } catch (error) {
      signal?.throwIfAborted();
      warnings.add("definitions", `${path} is cut by lines: ${errorText(error)}`, error);
      return undefined;
    }
  }
}

function emptyReport(): IndexReport {
  return { added: 0, changed: 0, unchanged: 0, removed: 0, notes: [], warnings: [], ms: 0 };
}

function addNote(report: IndexReport, note: FileNote): void {
  if (report.notes.length < NOTES) report.notes.push(note);
}

function needNote(note: FileNote): void {
  if (typeof note?.path === "string" && typeof note.reason === "string") return;
  throw new EspalierError({
    code: "bad_input",
    message: "a note of options.source needs a path and a reason",
    path: "options.source",
  });
}

/** @throws EspalierError `bad_input` if it is not iterable */
export function needFiles(files: unknown): void {
  const iterable = files as Partial<AsyncIterable<SearchFile> & Iterable<SearchFile>> | null | undefined;
  const isIterable =
    typeof iterable?.[Symbol.iterator] === "function" || typeof iterable?.[Symbol.asyncIterator] === "function";
  if (isIterable && typeof files !== "string") return;
  throw new EspalierError({
    code: "bad_input",
    message: "files must be a list of files with path and text, or an iterable of them",
    path: "files",
  });
}

/** @throws EspalierError `bad_input` with the path of the invalid field */
export function needFile(file: unknown, at: string): SearchFile {
  const { path, text, version, definitions } = (file ?? {}) as Partial<Record<keyof SearchFile, unknown>>;
  const refused = (field: string, wanted: string) =>
    new EspalierError({ code: "bad_input", message: `${at}.${field} must be ${wanted}`, path: `${at}.${field}` });
  if (typeof path !== "string" || path === "") throw refused("path", "a text that is not empty");
  if (typeof text !== "string") throw refused("text", "a text");
  if (version !== undefined && typeof version !== "string") throw refused("version", "a text");
  if (definitions !== undefined) needDefinitions(definitions, `${at}.definitions`);
  return file as SearchFile;
}

function needDefinitions(definitions: unknown, at: string): void {
  const isOffset = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff_ffff;
  const isFine = (item: Partial<SearchDefinition> | null) =>
    typeof item?.name === "string" && isOffset(item.start) && isOffset(item.end);
  const wrong = Array.isArray(definitions) ? definitions.findIndex((item) => !isFine(item as SearchDefinition)) : 0;
  if (Array.isArray(definitions) && wrong < 0) return;
  const path = Array.isArray(definitions) ? `${at}[${wrong}]` : at;
  const wanted = Array.isArray(definitions) ? "a definition with name, start and end" : "a list of definitions";
  throw new EspalierError({
    code: "bad_input",
    message: `${path} must be ${wanted}`,
    path,
  });
}
