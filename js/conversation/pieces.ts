/**
 * Storage over a place that can only replace whole values: a text is kept in numbered pieces, so that adding a line rewrites one small
 * piece and never the whole.
 */

import type { ConversationStorage } from "./storage.ts";

/** What such a place can do. */
export interface Values {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
  keys(): Promise<readonly string[]>;
  remove(key: string): Promise<void>;
}

/** A piece that has reached this length, in UTF-16 code units, is not rewritten any more. */
const FULL = 65_536;
/** Digits of a number, so that pieces sort as text. */
const DIGITS = 6;

/** Pieces of `log.jsonl` are `log.jsonl~000000`, `log.jsonl~000001`, …; `~` is in no name of ours. */
export function piecewise(values: Values): ConversationStorage {
  const key = (name: string, number: number) => `${name}~${String(number).padStart(DIGITS, "0")}`;
  const pieces = async (name: string) => (await values.keys()).filter((found) => found.startsWith(`${name}~`)).toSorted();
  const numberOf = (found: string) => Number(found.slice(found.lastIndexOf("~") + 1));
  return {
    async read(name) {
      const texts: string[] = [];
      for (const found of await pieces(name)) texts.push((await values.get(found)) ?? "");
      return texts.length === 0 ? undefined : texts.join("");
    },
    async append(name, text) {
      const last = (await pieces(name)).at(-1);
      const held = last === undefined ? "" : (await values.get(last)) ?? "";
      const number = last === undefined ? 0 : numberOf(last) + (held.length < FULL ? 0 : 1);
      await values.set(key(name, number), held.length < FULL ? held + text : text);
    },
    async write(name, text) {
      const old = await pieces(name);
      await values.set(key(name, 0), text);
      for (const found of old) if (numberOf(found) > 0) await values.remove(found);
    },
    async list(prefix) {
      const names = (await values.keys()).map((found) => found.slice(0, found.lastIndexOf("~"))).filter((name) => name.startsWith(prefix));
      return [...new Set(names)];
    },
    async delete(name) {
      for (const found of await pieces(name)) await values.remove(found);
    },
  };
}
