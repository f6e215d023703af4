/**
 * Cache marks as a format has them, and what several formats share to read and set them. The core chooses the marks;
 * messages that have these already are returned as they are.
 */

import type { CacheLifetime, MarkOptions } from "../types/cache.ts";
import type { Part } from "../types/messages.ts";
import { copy, isFields } from "./values.ts";
import type { Fields } from "./values.ts";

/**
 * What the wire shows of a part: a mark that stands there, or that none may. Without `part` it is about a message
 * without parts.
 */
export interface Fact {
  part?: number;
  can: boolean;
  mark?: CacheLifetime;
}

/** A message with its parts (without those that are marks), and where each part came from. */
export interface Marked {
  message: Fields;
  parts: readonly Part[];
  pieces: readonly unknown[];
}

/** Marks by part; `WHOLE` for a message without parts. */
export type Wanted = Map<number, CacheLifetime>;
export const WHOLE = -1;

/** The cache marks of a format. */
export interface Marks {
  /** Schemes that the format may have; the first is the default. */
  schemes: readonly ("openai" | "anthropic")[];
  /** True if marks have a lifetime. */
  lasts: boolean;
  /** The company whose own server refuses marks of this format, as {@link ModelFacts.provider} names it. */
  refusedBy?: string;
  /** Returns what the core needs to know about the marks of a message. */
  facts(marked: Marked, how: How): Fact[];
  /** Returns a copy of the message with the marks that the core chose. */
  apply(marked: Marked, wanted: Wanted, how: How): Fields;
  /** Absent if messages alone can be marked. */
  prefix?: MarkedPrefix;
}

/** Marks on the system prompt and the tools that a request has beside its messages. */
export interface MarkedPrefix {
  /** The model whose minimum holds if neither the host nor the request names one. */
  model: string;
  /** Number of marks that the request leaves to the provider. */
  reserved(request: Fields): number;
  /** Where the parts of the system prompt come from, if it is read as the content of a message. */
  pieces(system: unknown): unknown[];
  toolFact(tool: unknown): Omit<Fact, "part">;
  markTool(tool: unknown, lifetime: CacheLifetime | undefined): unknown;
}

/** What the host chose, and the messages, whose classes new parts take. */
export interface How extends Pick<MarkOptions, "profile" | "style" | "providerKey" | "dataPart"> {
  list: readonly unknown[];
}

/** The lifetime of a mark that a host set; nothing if it is no mark. */
export function lifetimeOf(mark: unknown): CacheLifetime | undefined {
  if (!mark) return undefined;
  return isFields(mark) && mark["ttl"] === "1h" ? "1h" : "5m";
}

export function markOf(lifetime: CacheLifetime): Fields {
  return { type: "ephemeral", ...(lifetime === "1h" && { ttl: "1h" }) };
}

/** The same object with this mark, or without one. */
export function withMark(item: Fields, lifetime: CacheLifetime | undefined, field = "cache_control"): Fields {
  if (lifetimeOf(item[field]) === lifetime) return item;
  return copy(item, { [field]: lifetime && markOf(lifetime) });
}

/** The list with other items, or the very list if none changed. */
export function mapped<T>(list: readonly T[], change: (item: T, at: number) => T): readonly T[] {
  const changed = list.map(change);
  return changed.every((item, at) => item === list[at]) ? list : changed;
}

/** Returns the mark of an item, if it has one. */
export function marked(item: unknown, field = "cache_control"): CacheLifetime | undefined {
  return isFields(item) ? lifetimeOf(item[field]) : undefined;
}

/** True for a blank text, or for an item with one. */
export function isBlank(item: unknown): boolean {
  const text = isFields(item) ? item["text"] : item;
  return typeof text === "string" && text.trim() === "";
}

/** The part that a mark on a whole message is on: the last one that can carry it. */
export function lastOf(parts: readonly Part[], barred: ReadonlySet<number> = new Set()): number {
  const can = (part: Part, at: number) =>
    !barred.has(at) && part.type !== "reasoning" && (part.type !== "text" || part.text.trim() !== "");
  const at = parts.findLastIndex(can);
  return at < 0 ? parts.length - 1 : at;
}

/** The list with a mark behind each part that should have one, and no others. Marks that are there already are kept. */
export function behind<T>(
  list: readonly T[],
  isMark: (item: T) => boolean,
  wanted: Wanted,
  make: () => T,
  change: (item: T) => T,
): readonly T[] {
  const out: T[] = [];
  let part = 0;
  for (const [at, item] of list.entries()) {
    if (isMark(item)) continue;
    out.push(change(item));
    if (!wanted.has(part++)) continue;
    const next = list[at + 1];
    out.push(next !== undefined && isMark(next) ? next : make());
  }
  return out.length === list.length && out.every((item, at) => item === list[at]) ? list : out;
}

/** The marks that stand behind parts, and those inside results, which count as the results'. */
export function standing<T>(list: readonly T[], isMark: (item: T) => boolean, hasInner: (item: T) => boolean): Fact[] {
  const facts: Fact[] = [];
  let part = -1;
  for (const item of list) {
    if (!isMark(item)) part += 1;
    if ((hasInner(item) || isMark(item)) && part >= 0 && facts.at(-1)?.part !== part)
      facts.push({ part, can: true, mark: "5m" });
  }
  return facts;
}
