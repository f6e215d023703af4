/**
 * Writing a conversation down while it goes on: one write at a time, each with a deadline. Nobody waits for it but `flush`, and whatever
 * fails is a warning: what could not be written is written with what comes next.
 */

import type { Clock } from "../providers/types.ts";
import type { ConversationStorage } from "./storage.ts";

/** What is known to be stored of one text that only grows. */
interface Grown {
  name: string;
  /** What there is from line `from` on, and the number of lines. */
  text: (from: number) => string;
  length: () => number;
  stored: number;
  /** After a write that failed or hangs nobody knows what is there: then all of it is written anew. */
  isUnsure: boolean;
}

export type StorageTrouble = { what: "read" | "append" | "write" | "list" | "delete"; name: string; message: string; cause: unknown };

export class Saving {
  private readonly grown = new Map<string, Grown>();
  private queue: Promise<void> = Promise.resolve();
  private isTroubled = false;
  private isAsked = false;
  private readonly storage: ConversationStorage | undefined;
  private readonly clock: Pick<Clock, "after">;
  private readonly limit: number;
  private readonly warn: (trouble: StorageTrouble) => void;

  /** `limit`: milliseconds that each operation may take. `warn` is told once for a row of failures. */
  constructor(storage: ConversationStorage | undefined, clock: Pick<Clock, "after">, limit: number, warn: (trouble: StorageTrouble) => void) {
    this.storage = storage;
    this.clock = clock;
    this.limit = limit;
    this.warn = warn;
  }

  /** Keeps a text that only grows, of which `stored` lines are there. */
  keep(name: string, text: (from: number) => string, length: () => number, stored: number, isUnsure = false): void {
    this.grown.set(name, { name, text, length, stored, isUnsure });
  }

  /** Writes what is new, soon. */
  save(): void {
    if (!this.storage || this.isAsked) return;
    this.isAsked = true;
    this.queue = this.queue.then(async () => {
      this.isAsked = false;
      for (const grown of this.grown.values()) await this.write(grown);
    });
  }

  /** Does something else with the storage, in turn. */
  do(work: (storage: ConversationStorage, attempt: Attempt) => Promise<void>): void {
    const { storage } = this;
    if (!storage) return;
    const attempt: Attempt = (what, name, run) => this.attempt(what, name, run);
    this.queue = this.queue.then(() => work(storage, attempt)).catch(() => undefined);
  }

  /** Waits until everything is written that can be. */
  async flush(): Promise<void> {
    this.save();
    let queue: Promise<void>;
    do {
      queue = this.queue;
      await queue;
    } while (queue !== this.queue);
  }

  /** One operation within its deadline; nothing if it failed, which is told. */
  async attempt<R>(what: StorageTrouble["what"], name: string, run: () => Promise<R> | R): Promise<{ value: R } | undefined> {
    let stop: () => void = () => {};
    const late = new Promise<never>((_, reject) => {
      stop = this.clock.after(this.limit, () => reject(new Error(`the storage did not answer within ${this.limit} ms`)));
    });
    try {
      const value = await Promise.race([Promise.resolve().then(run), late]);
      this.isTroubled = false;
      return { value };
    } catch (cause) {
      if (!this.isTroubled) this.warn({ what, name, message: cause instanceof Error ? cause.message : String(cause), cause });
      this.isTroubled = true;
      return undefined;
    } finally {
      stop();
      late.catch(() => undefined);
    }
  }

  private async write(grown: Grown): Promise<void> {
    const length = grown.length();
    if (length === grown.stored && !grown.isUnsure) return;
    const { name, isUnsure } = grown;
    const text = grown.text(isUnsure ? 0 : grown.stored);
    const done = await this.attempt(isUnsure ? "write" : "append", name, () => (isUnsure ? this.storage!.write(name, text) : this.storage!.append(name, text)));
    grown.isUnsure = done === undefined;
    if (done) grown.stored = length;
  }
}

export type Attempt = <R>(what: StorageTrouble["what"], name: string, run: () => Promise<R> | R) => Promise<{ value: R } | undefined>;
