/**
 * Storage over a place that can only replace whole values: a text is kept in numbered pieces, so that adding a line
 * rewrites one small piece and never the whole.
 */

import type { ConversationStorage, HostStorage } from "./storage.ts";

/** The operations of such a place. */
export interface Values<T = string> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  keys(): Promise<readonly string[]>;
  remove(key: string): Promise<void>;
}

/** A piece of this length, in UTF-16 code units, is not rewritten any more. */
const FULL = 65_536;
/** Digits of a number, so that pieces sort as text. */
const DIGITS = 6;

/** The piece for the next addition to a text, and its current content; `held` is absent if it must be read first. */
interface End {
  number: number;
  held: string | undefined;
}

/**
 * Pieces of `log.jsonl` are `log.jsonl~000000`, `log.jsonl~000001`, …; no name of ours contains `~`. The creator of
 * such a storage must be its only writer: the place is listed once, and the last piece is kept in memory, so that an
 * addition reads nothing. Any failed or overlapping operation clears this cache; texts are always read from the place.
 */
export function piecewise(values: Values): ConversationStorage {
  const key = (name: string, number: number) => `${name}~${String(number).padStart(DIGITS, "0")}`;
  const numberOf = (found: string) => Number(found.slice(found.lastIndexOf("~") + 1));
  const nameOf = (found: string) => found.slice(0, found.lastIndexOf("~"));
  /** By name; undefined until the place was listed. */
  let ends: Map<string, End> | undefined;
  /** Increases when a change begins and when it ends. */
  let version = 0;
  let newest = 0;
  /** Lists all pieces, uncached, and the ends of texts. */
  const listed = async () => {
    const at = version;
    const found = (await values.keys()).filter((key) => key.includes("~")).toSorted();
    const last = new Map<string, End>();
    for (const piece of found) {
      const [name, number] = [nameOf(piece), numberOf(piece)];
      const known = ends?.get(name);
      last.set(name, known?.number === number ? known : { number, held: undefined });
    }
    if (at === version) ends = last;
    return { found, last };
  };
  const endOf = async (name: string): Promise<End | undefined> => (ends ?? (await listed()).last).get(name);
  /** The cache stays valid as long as changes succeed one after the other. */
  const change = async (work: () => Promise<[name: string, end: End | undefined]>): Promise<void> => {
    version += 1;
    const own = (newest = version);
    let done: [string, End | undefined] | undefined;
    try {
      done = await work();
    } finally {
      version += 1;
      if (own !== newest || !done) ends = undefined;
      else if (done[1]) ends?.set(done[0], done[1]);
      else ends?.delete(done[0]);
    }
  };
  return {
    async read(name) {
      // A piece that is not full is the last one.
      if (ends?.get(name)?.number === 0) {
        const text = await values.get(key(name, 0));
        if (text !== undefined && text.length < FULL) return text;
      }
      const texts: string[] = [];
      for (const found of (await listed()).found)
        if (nameOf(found) === name) texts.push((await values.get(found)) ?? "");
      return texts.length === 0 ? undefined : texts.join("");
    },
    append: (name, text) =>
      change(async () => {
        const { number, held } = (await endOf(name)) ?? { number: 0, held: "" };
        const before = held ?? (await values.get(key(name, number))) ?? "";
        const [at, all] = before.length < FULL ? [number, before + text] : [number + 1, text];
        await values.set(key(name, at), all);
        return [name, { number: at, held: all }];
      }),
    write: (name, text) =>
      change(async () => {
        const { number } = (await endOf(name)) ?? { number: 0 };
        await values.set(key(name, 0), text);
        for (let at = 1; at <= number; at += 1) await values.remove(key(name, at));
        // Most texts are never appended to, so their pieces need not be kept.
        return [name, { number: 0, held: text.length < FULL ? undefined : text }];
      }),
    async list(prefix) {
      return [...new Set((await listed()).found.map(nameOf))].filter((name) => name.startsWith(prefix));
    },
    delete: (name) =>
      change(async () => {
        const end = await endOf(name);
        for (let at = 0; end && at <= end.number; at += 1) await values.remove(key(name, at));
        return [name, undefined];
      }),
  };
}

/**
 * Adds bytes, each under its own name: bytes are never appended to, so they are one value. No name of ours contains
 * `~`.
 */
export function withBytes(texts: ConversationStorage, place: Values<Uint8Array>): HostStorage {
  return {
    ...texts,
    readBytes: (name) => place.get(name),
    writeBytes: (name, bytes) => place.set(name, bytes),
    async list(prefix) {
      const names = (await place.keys()).filter((key) => !key.includes("~") && key.startsWith(prefix));
      return [...new Set([...(await texts.list(prefix)), ...names])];
    },
    async delete(name) {
      await texts.delete(name);
      await place.remove(name);
    },
  };
}
