/**
 * Stores the index. A blob is read once, checked by the engine, and never trusted: a damaged one is reported and its
 * files are read from the source again. A failing storage is reported, and the index continues in memory.
 *
 * Names: `search/manifest`, `search/segment-…`, `search/vectors`, `search/vectors-…`.
 */

import { isBytes } from "../files/bytes.ts";
import type { Held } from "./held.ts";
import { yieldToTasks, callWithTimeout } from "./slices.ts";
import type { Slices } from "./slices.ts";
import type { IndexProgress, IndexStorage } from "./types.ts";
import { errorText } from "./warnings.ts";
import type { Warnings } from "./warnings.ts";

const FOLDER = "search/";
const MANIFEST = `${FOLDER}manifest`;
const VECTORS = `${FOLDER}vectors`;
/** Max blobs that are read or written at the same time. */
const AT_ONCE = 8;
/** Milliseconds after which a storage counts as failed. */
const TIMEOUT = 60_000;

export interface SaveReport {
  written: number;
  bytes: number;
  deleted: number;
}

/** The result of `saveEnd`. */
interface Rest {
  manifest: Uint8Array;
  blobs?: [string, Uint8Array][];
  vectors?: Uint8Array;
  names: string[];
  obsolete: string[];
}

export class Persisted {
  private readonly storage: IndexStorage;
  private readonly warnings: Warnings;
  private hasManifest = false;
  private isClean = false;

  constructor(storage: IndexStorage, warnings: Warnings) {
    this.storage = storage;
    this.warnings = warnings;
  }

  /** Reads the index into `held`, without the files of damaged segments. */
  async load(
    held: Held,
    model: string | undefined,
    slices: Slices,
    progress: (done: number, total: number) => void,
  ): Promise<void> {
    const manifest = await this.read(MANIFEST);
    if (!manifest) return;
    const names = held.use((handle) => handle.loadBegin(manifest)) as string[] | string;
    if (typeof names === "string") return this.refused("The stored index", names);
    const reading: Promise<Uint8Array | undefined>[] = [];
    const ask = () => {
      const name = names[reading.length];
      if (name !== undefined) reading.push(this.read(FOLDER + name));
    };
    for (let ahead = 0; ahead < AT_ONCE; ahead += 1) ask();
    for (const [at, name] of names.entries()) {
      const bytes = await reading[at];
      ask();
      held.use((handle) => handle.loadSegment(name, bytes));
      progress(at + 1, names.length);
      await slices.next();
    }
    while (held.use((handle) => handle.loadStep())) await slices.next();
    await yieldToTasks();
    const damaged = held.use((handle) => handle.loadEnd());
    for (let at = 0; at < damaged.length; at += 2) {
      this.refused(`The stored ${damaged[at]}`, damaged[at + 1]!);
    }
    this.hasManifest = true;
    if (model !== undefined) await this.loadVectors(held, model, slices);
  }

  private async loadVectors(held: Held, model: string, slices: Slices): Promise<void> {
    const manifest = await this.read(VECTORS);
    if (!manifest) return;
    const names = held.use((handle) => handle.vectorBlobs(model, manifest)) as string[] | string;
    if (typeof names === "string") return this.refused("The stored embeddings", names);
    for (const name of names) {
      const bytes = await this.read(FOLDER + name);
      const damage = held.use((handle) => handle.loadVectors(name, bytes));
      if (damage !== undefined) this.refused(`The stored ${name}`, damage);
      await slices.next();
    }
  }

  private refused(what: string, damage: string): void {
    const why: Record<string, string> = {
      missing: "is missing",
      foreign: "is not one of espalier's",
      version: "is of another version of espalier",
      checksum: "is damaged",
      rules: "was made with other options",
      contents: "is damaged",
    };
    const code = damage === "version" || damage === "rules" ? "outdated" : "damaged";
    this.warnings.add(code, `${what} ${why[damage] ?? damage}; its content is rebuilt.`);
  }

  /**
   * Writes changes: segments, then the manifest that names them, so that an interrupted save leaves the previous one
   * intact.
   */
  async save(held: Held, slices: Slices, progress: (progress: IndexProgress) => void): Promise<SaveReport> {
    const report: SaveReport = { written: 0, bytes: 0, deleted: 0 };
    held.use((handle) => handle.saveBegin());
    const writing = new Set<Promise<void>>();
    let isFailed = false;
    const write = async (name: string, bytes: Uint8Array) => {
      if (isFailed || !(await this.write(FOLDER + name, bytes))) {
        isFailed = true;
        return;
      }
      report.written += 1;
      report.bytes += bytes.length;
      progress({ phase: "save", done: report.written });
    };
    const queue = async (name: string, bytes: Uint8Array) => {
      const one = write(name, bytes).finally(() => writing.delete(one));
      writing.add(one);
      if (writing.size >= AT_ONCE) await Promise.race(writing);
    };
    for (;;) {
      const segment = held.use((handle) => handle.saveNext()) as [string, Uint8Array] | undefined;
      if (!segment || isFailed) break;
      await queue(...segment);
      await slices.next();
    }
    const rest = held.use((handle) => handle.saveEnd()) as unknown as Rest;
    for (const [name, bytes] of rest.blobs ?? []) await queue(name, bytes);
    await Promise.all(writing);
    const isNew = report.written > 0 || rest.obsolete.length > 0 || rest.vectors !== undefined || !this.hasManifest;
    if (isNew) await write("manifest", rest.manifest);
    if (rest.vectors) await write("vectors", rest.vectors);
    if (isFailed) return report;
    this.hasManifest = true;
    held.use((handle) => handle.confirm());
    report.deleted = await this.delete(rest);
    return report;
  }

  /** Deletes the blobs that this save replaced, and the first time also the leftovers of an interrupted save. */
  private async delete({ obsolete, names }: Rest): Promise<number> {
    let deleted = 0;
    try {
      let unused = obsolete.map((name) => FOLDER + name);
      if (!this.isClean) {
        const used = new Set([MANIFEST, VECTORS, ...names.map((name) => FOLDER + name)]);
        unused = (await callWithTimeout(TIMEOUT, undefined, "the storage", () => this.storage.list(FOLDER))).filter(
          (name) => !used.has(name),
        );
        this.isClean = true;
      }
      for (const name of unused) {
        await callWithTimeout(TIMEOUT, undefined, "the storage", () => this.storage.delete(name));
        deleted += 1;
      }
    } catch (error) {
      // They only take room; the next session deletes them.
      this.warnings.add(
        "storage",
        `Blobs that are not needed any more could not be deleted: ${errorText(error)}`,
        error,
      );
    }
    return deleted;
  }

  private async read(name: string): Promise<Uint8Array | undefined> {
    try {
      const bytes: unknown = await callWithTimeout(TIMEOUT, undefined, "the storage", () =>
        this.storage.readBytes(name),
      );
      if (bytes === undefined || isBytes(bytes)) return bytes;
      throw new TypeError("readBytes returned neither bytes nor undefined");
    } catch (error) {
      this.warnings.add("storage", `${name} could not be read: ${errorText(error)}`, error);
      return undefined;
    }
  }

  private async write(name: string, bytes: Uint8Array): Promise<boolean> {
    try {
      await callWithTimeout(TIMEOUT, undefined, "the storage", () => this.storage.writeBytes(name, bytes));
      return true;
    } catch (error) {
      this.warnings.add(
        "storage",
        `${name} could not be written: ${errorText(error)}. The index stays in memory; the next save tries again.`,
        error,
      );
      return false;
    }
  }
}
