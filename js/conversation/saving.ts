/**
 * Stores a conversation while it continues: one write at a time, each with a deadline. Only `flush` waits for it. A
 * failure is a warning; unwritten lines are written with the next ones. A storage that could not be read when the
 * conversation was opened is read before anything is written; its content then stays, and the conversation is stored
 * beside it.
 *
 * A storage belongs to the conversation that was opened over it last; {@link OWNER} names that one. A conversation that
 * finds another's name there continues under names of its own, so that neither writes into the other's lines.
 */

import type { Clock } from "../providers/types.ts";
import { hash32 } from "../files/hash.ts";
import type { ConversationStorage } from "./storage.ts";

/** The known state of one stored append-only text. */
interface Grown {
  name: string;
  /** Returns the text from line `from` on, and the number of lines. */
  text: (from: number) => string;
  length: () => number;
  /** Number of lines that were read when the conversation was opened: others have them, too. */
  read: number;
  stored: number;
  /** Number of lines when the whole text was last read again. */
  checked: number;
  /** True after a failed or hanging write, when the stored text is unknown: then all of it is written anew. */
  isUnsure: boolean;
  /**
   * Is called with the first of the lines, and the one after the last, whose append did not end in time. The storage
   * may add them after the whole text was written anew; they are then there twice.
   */
  late?: (from: number, to: number) => void;
}

export type StorageTrouble = {
  what: "read" | "append" | "write" | "list" | "delete";
  name: string;
  message: string;
  cause: unknown;
  /** See {@link Flushed}. */
  sideLog?: string;
};

/** What {@link Conversation.flush} reports. */
export interface Flushed {
  /** True if everything is stored. */
  isStored: boolean;
  /** Texts that are not known to be stored completely, and the number of their missing lines. */
  missing: { name: string; lines: number }[];
  /** True if the storage belongs to another conversation, opened over it later: new lines are stored beside its own. */
  isTaken: boolean;
  /** Name of the log beside that of the other conversation, once there is one. */
  sideLog?: string;
}

const OWNER = "owner";
/** A text up to this number of lines is read again after every compaction; a longer one when it has grown by half. */
const SHORT = 2_000;
const GROWN = 1.5;
/** Lines that are more than a record of how a conversation was run. */
const MATTERS = /^\{"seq":\d+,"v":\d+,"time":-?\d+,"type":"(?:message|edit|revoke|pin|unpin|rewind)"/m;

export class Saving {
  private readonly grown = new Map<string, Grown>();
  private queue: Promise<void> = Promise.resolve();
  private isTroubled = false;
  private isAsked = false;
  /** The previous owner of the storage; `isOurs` once the storage names this conversation. */
  private owner: { before: string | undefined; isOurs: boolean } | undefined;
  /** True if the stored content is unknown: it must be read before anything is written. */
  private isUnread = false;
  private isTaken = false;
  private whyApart = "another conversation was opened over this storage";
  private isApart = false;
  private isClosed = false;
  private readonly storage: ConversationStorage | undefined;
  private readonly clock: Pick<Clock, "after">;
  private readonly limit: number;
  private readonly session: string;
  private readonly warn: (trouble: StorageTrouble) => void;

  /**
   * `limit`: milliseconds for each operation. `session` names this conversation. `warn` is called once for a row of
   * failures.
   */
  constructor(
    storage: ConversationStorage | undefined,
    clock: Pick<Clock, "after">,
    limit: number,
    session: string,
    warn: (trouble: StorageTrouble) => void,
  ) {
    this.storage = storage;
    this.clock = clock;
    this.limit = limit;
    this.session = session;
    this.warn = warn;
  }

  /** Takes ownership of the storage. Returns false if it cannot even be read. */
  async claim(): Promise<boolean> {
    const { storage } = this;
    if (!storage) return true;
    const found = await this.text(OWNER);
    if (!found) return false;
    this.owner = { before: found.value, isOurs: false };
    await this.sign();
    return true;
  }

  /** Reads a text, with one retry if that fails at once. A value that is neither absent nor text is a failure. */
  async text(name: string): Promise<{ value: string | undefined } | undefined> {
    const limit = { isLate: false };
    const read = () => this.attempt("read", name, async () => textOf(await this.storage!.read(name)), limit);
    return (await read()) ?? (limit.isLate ? undefined : read());
  }

  /** Forbids writes until the stored content has been read. */
  unread(): void {
    this.isUnread = true;
  }

  /** Returns the storage to its previous owner. */
  async release(): Promise<void> {
    const { storage, owner } = this;
    if (!storage || !owner?.isOurs) return;
    const { before } = owner;
    await this.attempt("write", OWNER, () =>
      before === undefined ? storage.delete(OWNER) : storage.write(OWNER, before),
    );
  }

  /** Registers an append-only text. Texts are written in the order of these calls. */
  keep(grown: Omit<Grown, "checked">): void {
    this.grown.set(grown.name, { ...grown, checked: 0 });
  }

  /** Writes new lines, soon. */
  save(): void {
    if (!this.storage || this.isAsked || this.isClosed) return;
    this.isAsked = true;
    this.queue = this.queue.then(async () => {
      this.isAsked = false;
      if (!(await this.isOurs())) return;
      // The log refers to messages. All texts are taken at one moment, so that it is never ahead of them.
      const due = [...this.grown.values()].map((grown) => unstored(grown));
      for (const one of due) await this.write(one);
    });
  }

  /** Runs other work on the storage, in turn, as long as it is ours. */
  do(work: (storage: ConversationStorage, attempt: Attempt) => Promise<void>): void {
    const { storage } = this;
    if (!storage || this.isClosed) return;
    const attempt: Attempt = (what, name, run) => this.attempt(what, name, run);
    this.queue = this.queue
      .then(async () => {
        if ((await this.isOurs()) && !this.isTaken) await work(storage, attempt);
      })
      .catch(() => undefined);
  }

  /**
   * Reads the written text again, if that is due. A storage that reported success without storing gets everything once
   * more, with a warning.
   */
  check(): void {
    this.save();
    this.do(async () => {
      for (const grown of this.grown.values()) {
        const { name, stored, checked } = grown;
        if (grown.isUnsure || (stored > SHORT && stored < checked * GROWN)) continue;
        grown.checked = stored;
        const found = await this.stored(grown);
        if (found === undefined) continue;
        this.warn({
          what: "read",
          name,
          message: "the stored text differs from the written one; it is written again",
          cause: undefined,
        });
        // Its writer may need it.
        if (found !== "" && !grown.text(0).startsWith(found) && !(await this.aside(found))) continue;
        grown.isUnsure = true;
        await this.write(unstored(grown));
        if (grown.isUnsure || (await this.stored(grown)) === undefined) continue;
        this.warn({ what: "write", name, message: "the storage does not keep written texts", cause: undefined });
      }
    });
  }

  /** Returns the stored text under a name, if it differs from the expected one. */
  private async stored({ name, text, stored }: Grown): Promise<string | undefined> {
    const found = await this.attempt("read", name, () => this.storage!.read(name));
    if (!found) return undefined;
    const { value = "" } = found;
    if (typeof value !== "string") return "";
    return text(0).startsWith(value) && value.split("\n").length - 1 === stored ? undefined : value;
  }

  /** Stores unusable lines under a name that says so; returns the name, if that succeeded. */
  async aside(text: string): Promise<string | undefined> {
    const name = `damaged-${hash32(text).toString(16)}.jsonl`;
    return (await this.attempt("write", name, () => this.storage!.write(name, text))) && name;
  }

  /** Waits until everything possible is written; retries a failed write once. */
  async flush(): Promise<Flushed> {
    for (let again = false; ; again = true) {
      this.save();
      let queue: Promise<void>;
      do {
        queue = this.queue;
        await queue;
      } while (queue !== this.queue);
      const missing = this.missing();
      if (missing.length === 0 || again || this.isClosed) {
        const sideLog = this.isApart ? this.logName : undefined;
        return { isStored: missing.length === 0, missing, isTaken: this.isTaken, ...(sideLog && { sideLog }) };
      }
    }
  }

  private missing(): Flushed["missing"] {
    if (!this.storage || (this.isTaken && !this.isApart && !this.hasNews())) return [];
    const all = [...this.grown.values()].map(({ name, length, stored, isUnsure }) => ({
      name,
      lines: isUnsure ? length() : length() - stored,
    }));
    return all.filter(({ lines }) => lines > 0);
  }

  /** Forbids all further writes. */
  close(): void {
    this.isClosed = true;
  }

  /** Runs one operation within its deadline; returns nothing if it failed, which is reported. */
  async attempt<R>(
    what: StorageTrouble["what"],
    name: string,
    run: () => Promise<R> | R,
    ended?: { isLate: boolean },
  ): Promise<{ value: R } | undefined> {
    let stop: () => void = () => {};
    const late = new Promise<never>((_, reject) => {
      stop = this.clock.after(this.limit, () => {
        if (ended) ended.isLate = true;
        reject(new Error(`the storage did not answer within ${this.limit} ms`));
      });
    });
    try {
      const value = await Promise.race([Promise.resolve().then(run), late]);
      this.isTroubled = false;
      return { value };
    } catch (cause) {
      if (!this.isTroubled)
        this.warn({ what, name, message: cause instanceof Error ? cause.message : String(cause), cause });
      this.isTroubled = true;
      return undefined;
    } finally {
      stop();
      late.catch(() => undefined);
    }
  }

  private async sign(): Promise<void> {
    const written = await this.attempt("write", OWNER, () => this.storage!.write(OWNER, this.session));
    if (this.owner && written) this.owner.isOurs = true;
  }

  /** True if writing is allowed now, under any name. */
  private async isOurs(): Promise<boolean> {
    if (this.isUnread && !(await this.readAgain())) return false;
    const { owner } = this;
    if (!owner) return false;
    if (this.isTaken) return this.isApart || this.goApart();
    // A value that is not text names no other owner, and may be ours again the next time.
    const found = await this.attempt("read", OWNER, async () => textOf(await this.storage!.read(OWNER)));
    if (!found) return false;
    const name = found.value;
    if (name === this.session) return true;
    if (name === undefined && owner.isOurs) {
      // The name existed before: other stored texts may have vanished with it.
      for (const grown of this.grown.values()) grown.isUnsure = true;
      this.warn({
        what: "read",
        name: OWNER,
        message: "the stored texts are gone; they are written again",
        cause: undefined,
      });
    } else if (owner.isOurs || name !== owner.before) {
      this.isTaken = true;
      return this.goApart();
    }
    await this.sign();
    return owner.isOurs;
  }

  /**
   * Reads texts that could not be read when the conversation was opened. Their content belongs to another session, and
   * stays.
   */
  private async readAgain(): Promise<boolean> {
    const read = (name: string) => this.attempt("read", name, async () => textOf(await this.storage!.read(name)));
    if (!this.owner) {
      const found = await read(OWNER);
      if (!found) return false;
      this.owner = { before: found.value, isOurs: false };
    }
    let isHeld = false;
    for (const { name } of this.grown.values()) {
      const found = await read(name);
      if (!found) return false;
      isHeld ||= (found.value ?? "") !== "";
    }
    if (isHeld) {
      await this.release();
      this.isTaken = true;
      this.whyApart = "the stored texts could not be read when this conversation was opened";
    }
    this.isUnread = false;
    return true;
  }

  /**
   * Another conversation continues with the stored texts. New lines of this one are stored beside them, as soon as
   * there are any.
   */
  private goApart(): boolean {
    if (!this.hasNews()) return false;
    this.isApart = true;
    for (const grown of this.grown.values()) {
      grown.name = grown.name.replace(/(?=\.\w+$)/, `-${this.session}`);
      grown.isUnsure = true;
    }
    this.warn({
      what: "write",
      name: OWNER,
      message: `${this.whyApart}; this one continues as ${this.logName}`,
      cause: undefined,
      sideLog: this.logName,
    });
    return true;
  }

  /** The log is kept last. */
  private get logName(): string {
    return [...this.grown.values()].at(-1)!.name;
  }

  /** True if there are unstored lines of this conversation that matter. */
  private hasNews(): boolean {
    return [...this.grown.values()].some(({ text, read, stored, isUnsure }) =>
      MATTERS.test(text(isUnsure ? read : Math.max(read, stored))),
    );
  }

  private async write({ grown, text, length }: Unstored): Promise<void> {
    const { name, isUnsure, stored } = grown;
    if (length === stored && !isUnsure) return;
    const ended = { isLate: false };
    const done = await this.attempt(
      isUnsure ? "write" : "append",
      name,
      () => (isUnsure ? this.storage!.write(name, text) : this.storage!.append(name, text)),
      ended,
    );
    grown.isUnsure = done === undefined;
    if (ended.isLate && !isUnsure) grown.late?.(stored, length);
    if (done) grown.stored = length;
  }
}

/** The lines of a text that are to be stored, and the number of all its lines. */
interface Unstored {
  grown: Grown;
  text: string;
  length: number;
}

function unstored(grown: Grown): Unstored {
  return { grown, text: grown.text(grown.isUnsure ? 0 : grown.stored), length: grown.length() };
}

/** @throws Error for a value that is neither text nor absent */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new Error(`what is stored is no text, but ${typeof value}`);
  return value;
}

export type Attempt = <R>(
  what: StorageTrouble["what"],
  name: string,
  run: () => Promise<R> | R,
) => Promise<{ value: R } | undefined>;
