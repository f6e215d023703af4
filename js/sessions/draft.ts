/** Collects the content of a session while a reader reads, and makes the session. */

import { append } from "../formats/append.ts";
import type { Format } from "../types/messages.ts";
import type { Usage } from "../types/cache.ts";
import type { Session, SessionCompaction, SessionEntry, SessionPlace, SideChain } from "./types.ts";

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is a non-empty text. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns a text for comparing with names; an empty one for objects. (`String` calls `toString`, which may be a field
 * of the file.)
 */
export function word(value: unknown): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}

/** Returns the value if it is a finite number. */
export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns the fields of an object; none for any other value. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Returns the items of a list; none for any other value. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the objects in a list. */
export function objects(value: unknown): readonly Fields[] {
  return items(value).filter(isFields);
}

/** Returns the milliseconds since 1970 of an ISO date, of seconds or of milliseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "string") {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  const time = number(value);
  // Seconds reach this bound in the year 5138, milliseconds passed it in 1973.
  return time !== undefined && time < 1e11 ? time * 1000 : time;
}

/** Makes a usage record; absent counts are 0, and `promptTotal` is the sum of the parts. */
export function usageOf(
  parts: Partial<Record<"input" | "cacheRead" | "cacheWrite" | "output" | "reasoning", unknown>>,
): Usage {
  const count = (value: unknown) => Math.max(0, number(value) ?? 0);
  const [input, cacheRead, cacheWrite] = [count(parts.input), count(parts.cacheRead), count(parts.cacheWrite)];
  return {
    input,
    cacheRead,
    cacheWrite,
    output: count(parts.output),
    reasoning: count(parts.reasoning),
    promptTotal: input + cacheRead + cacheWrite,
  };
}

type About = Pick<Session, "id" | "sideChain" | "title" | "cwd" | "model" | "window" | "version" | "system" | "tools">;

/** A side conversation, while it is read. */
export interface Chain extends Omit<SideChain, "messages"> {
  draft: Draft;
}

/** Returns the conversations with messages: a list if there are several; the first one if none has any. */
export function withMessages(drafts: readonly Draft[]): Draft | Draft[] | undefined {
  const whole = drafts.filter(({ messages }) => messages.length > 0);
  return whole.length > 1 ? whole : (whole[0] ?? drafts[0]);
}

/** One conversation while its file is read. */
export class Draft {
  readonly messages: unknown[] = [];
  readonly entries: SessionEntry[] = [];
  readonly compactions: SessionCompaction[] = [];
  readonly usage: Session["usage"] = [];
  readonly format: Format;
  readonly chains: Chain[] = [];
  readonly #byId = new Map<string, Draft>();
  readonly about: About = {};
  /** Distinguishes this conversation from others in the same file. */
  label = "";
  readonly #skipped = new Map<string, { count: number; why?: string }>();
  readonly #keepsHistory: boolean;

  /** @param keepsHistory false: a compaction forgets the messages that it replaced */
  constructor(format: Format, keepsHistory = true) {
    this.format = format;
    this.#keepsHistory = keepsHistory;
  }

  /** Appends a message and returns its index in the history. */
  push(message: unknown, place: SessionPlace, more: Omit<SessionEntry, "places"> = {}): number {
    this.entries.push({ places: [place], ...known(more) });
    return this.messages.push(message) - 1;
  }

  /** Replaces a message by a longer version, which `place` added. */
  extend(index: number, message: unknown, place: SessionPlace): void {
    this.messages[index] = message;
    const places = this.entries[index]!.places;
    if (places.at(-1) !== place) places.push(place);
  }

  /** Returns the side chain of that id; begins it if it is new. */
  chain(id: string, about: Omit<SideChain, "id" | "messages">): Draft {
    const known = this.#byId.get(id);
    if (known) return known;
    const draft = new Draft(this.format, this.#keepsHistory);
    this.#byId.set(id, draft);
    this.chains.push({ id, ...about, draft });
    return draft;
  }

  /** Counts something that is not part of the conversation. */
  skip(kind: string, why?: string): void {
    const known = this.#skipped.get(kind);
    if (known) known.count += 1;
    else this.#skipped.set(kind, { count: 1, ...(why !== undefined && { why }) });
  }

  /** Records that `context` replaced all messages so far. */
  compact(
    place: SessionPlace,
    context: unknown[],
    more: Pick<SessionCompaction, "summary" | "tokensBefore" | "tokensAfter"> = {},
  ): void {
    this.compactions.push({ before: this.messages.length, context, place, ...known(more) });
    if (!this.#keepsHistory) this.#forget();
  }

  /**
   * Records the usage of the request that `answer` answered; a later report for the same answer replaces an earlier
   * one.
   */
  report(answer: number, usage: Usage, model?: string): void {
    if (answer < 0 || usage.promptTotal === 0) return;
    const last = this.usage.at(-1);
    const report = { answer, usage, ...(model !== undefined && { model }) };
    if (last?.answer === answer) this.usage[this.usage.length - 1] = report;
    else this.usage.push(report);
  }

  /** Removes messages from the history, such as those of an abandoned branch. */
  remove(indices: ReadonlySet<number>): void {
    if (indices.size === 0) return;
    const moved: number[] = [];
    let next = 0;
    for (let index = 0; index <= this.messages.length; index++) moved.push(indices.has(index) ? next : next++);
    const usage = this.usage
      .filter(({ answer }) => !indices.has(answer))
      .map((one) => ({ ...one, answer: moved[one.answer]! }));
    const compactions = this.compactions.map((one) => ({ ...one, before: moved[one.before]! }));
    keep(this.messages, indices);
    keep(this.entries, indices);
    replace(this.usage, usage);
    replace(this.compactions, compactions);
  }

  /** Removes a message and all later ones from the history. Cheaper than `remove` for logs with many undos. */
  cut(index: number): void {
    this.messages.length = Math.min(this.messages.length, index);
    this.entries.length = this.messages.length;
    while ((this.usage.at(-1)?.answer ?? -1) >= index) this.usage.pop();
  }

  /** Sets the fields that have a value. */
  tell(about: { [name in keyof About]?: About[name] | undefined }): void {
    Object.assign(this.about, known(about));
  }

  /** Returns the live context: that of the newest compaction, and everything after it. */
  live(): unknown[] {
    const last = this.compactions.at(-1);
    return last ? [...last.context, ...this.messages.slice(last.before)] : [...this.messages];
  }

  /** Drops the messages that the newest compaction replaced. */
  #forget(): void {
    this.messages.length = 0;
    this.entries.length = 0;
    this.usage.length = 0;
    this.compactions.splice(0, this.compactions.length, { ...this.compactions.at(-1)!, before: 0 });
  }

  get skipped(): Session["skipped"] {
    return Array.from(this.#skipped, ([kind, { count, why }]) => ({
      kind,
      count,
      ...(why !== undefined && { why }),
    }));
  }
}

function keep<T>(list: T[], dropped: ReadonlySet<number>): void {
  replace(
    list,
    list.filter((_, index) => !dropped.has(index)),
  );
}

function replace<T>(list: T[], items: readonly T[]): void {
  list.length = 0;
  append(list, items);
}

function known<T extends object>(values: T): { [name in keyof T]: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]: Exclude<T[name], undefined>;
  };
}
