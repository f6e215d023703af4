/** The state of a gemini-cli chat while its file is read: records by id, with replacements, undos and compressions. */

import { Draft, fields, isFields, items, objects, text, timeOf, word } from "./draft.ts";
import type { Fields } from "./draft.ts";
import { contentsOf, isCommand, isInjected, TYPES, usageFrom } from "./gemini-records.ts";
import type { Reading } from "./reader.ts";

export function isHeader(record: Fields): boolean {
  return typeof record["sessionId"] === "string" && typeof record["projectHash"] === "string" && !("id" in record);
}

export function isRecord({ id, type, uuid, content, toolCalls }: Fields): boolean {
  return (
    typeof id === "string" &&
    uuid === undefined &&
    TYPES.has(word(type)) &&
    (content !== undefined || toolCalls !== undefined)
  );
}

export interface Entry {
  record: Fields;
  places: number[];
  /** The line with this version of the record; absent if a list replaced it. */
  line?: number;
}

/** The state from one replacement of the list to the next. */
interface Epoch {
  /** The line of the replacement. */
  place: number;
  /** Keys of the records in the replacement. */
  context: ReadonlySet<string>;
  keys: string[];
  entries: Map<string, Entry>;
  /** True if a later list contains other versions of its records. */
  isPatched?: true;
}

export class GeminiChat implements Reading {
  readonly #draft: Draft;
  readonly #keepsHistory: boolean;
  #epochs: Epoch[] = [{ place: 0, context: new Set(), keys: [], entries: new Map() }];
  /** The list before the newest compression. */
  #before?: Epoch;
  readonly #rewound: { place: number; epoch: Epoch; entries: Entry[] }[] = [];

  constructor(keepsHistory: boolean) {
    this.#draft = new Draft("gemini", keepsHistory);
    this.#keepsHistory = keepsHistory;
  }

  get epoch(): Epoch {
    return this.#epochs.at(-1)!;
  }

  add(record: unknown, place: number): void {
    if (!isFields(record)) return this.#draft.skip("a value that is not an object");
    if (typeof record["$rewindTo"] === "string") return this.#rewind(record["$rewindTo"], place);
    if (isRecord(record)) return this.#put(record["id"] as string, { record, places: [place], line: place });
    if (isFields(record["$set"])) {
      this.#about(record["$set"]);
      if (Array.isArray(record["$set"]["messages"])) this.#replace(objects(record["$set"]["messages"]), place);
      return;
    }
    if (typeof record["sessionId"] !== "string")
      return this.#draft.skip(text(record["type"]) ?? "a line without an id");
    this.#about(record);
    items(record["messages"]).forEach((one, at) => {
      if (isFields(one)) this.#put(text(one["id"]) ?? `#${at}`, { record: one, places: [at] });
    });
  }

  #about({ sessionId, summary, directories }: Fields): void {
    this.#draft.tell({ id: text(sessionId), title: text(summary), cwd: text(items(directories)[0]) });
  }

  #put(key: string, entry: Entry): void {
    const { keys, entries } = this.epoch;
    const known = entries.get(key);
    if (known) entries.set(key, { ...entry, places: [...known.places, ...entry.places] });
    else {
      this.#count(entry.record);
      keys.push(key);
      entries.set(key, entry);
    }
  }

  #count(record: Fields): void {
    const type = word(record["type"]);
    if (isCommand(record))
      this.#draft.skip("command", "a command of the user interface, which the tool leaves out when it resumes");
    else if (type !== "user" && type !== "gemini")
      this.#draft.skip(TYPES.has(type) ? type : "a record of another type", "shown to the user only");
    if (items(record["thoughts"]).length > 0)
      this.#draft.skip("thoughts", "headings for the screen, which are not sent back");
  }

  /**
   * Replaces the list. A list without some of the earlier records is a compression; any other one contains newer
   * versions and inserted turns.
   */
  #replace(list: readonly Fields[], place: number): void {
    const named = new Map(list.map((record, at) => [text(record["id"]) ?? `#${at}`, record]));
    this.#resume(named);
    const last = this.epoch;
    const isCompression = lacks(last, named);
    const entries = new Map<string, Entry>();
    for (const [key, listed] of named) {
      const known = last.entries.get(key);
      const record = merged(listed, known?.record);
      if (known && JSON.stringify(known.record) === JSON.stringify(record))
        entries.set(key, isCompression ? { record, places: [place] } : known);
      else entries.set(key, { record, places: [...(known && !isCompression ? known.places : []), place] });
      if (!known) this.#count(record);
    }
    const keys = [...named.keys()];
    const next: Epoch = { place, context: new Set(keys), keys, entries };
    if (isCompression) this.#before = last;
    if (!isCompression)
      this.#epochs[this.#epochs.length - 1] = { ...next, place: last.place, context: last.context, isPatched: true };
    else if (this.#keepsHistory) this.#epochs.push(next);
    else this.#epochs = [{ ...next, place }];
  }

  /**
   * Goes back to the list before the last one if the new list has all of its records: from 0.61 on a chat that is
   * resumed writes a list of its beginning, then one of everything.
   */
  #resume(named: ReadonlyMap<string, Fields>): void {
    const before = this.#before;
    if (!before || lacks(before, named)) return;
    const { keys, context } = this.epoch;
    if (!keys.every((key) => context.has(key) && before.entries.has(key))) return;
    this.#epochs = [...this.#epochs.slice(0, -1).filter((one) => one !== before), before];
    this.#before = undefined;
  }

  /** Removes a record and all later ones; all records if it does not exist. */
  #rewind(key: string, place: number): void {
    const { epoch } = this;
    const { keys, entries } = epoch;
    const removed = keys.splice(entries.has(key) ? Math.max(0, keys.lastIndexOf(key)) : 0);
    if (removed.length === 0) return this.#draft.skip("$rewindTo", "nothing was left to take back");
    this.#rewound.push({ place, epoch, entries: removed.map((one) => entries.get(one)!) });
    for (const one of removed) entries.delete(one);
  }

  /** Returns the records of the live context, with their contents. */
  live(): (Entry & { key: string; isContext: boolean; contents: Fields[] })[] {
    const { keys, entries, context } = this.epoch;
    const list = keys.map((key) => entries.get(key)!);
    const contents = contentsOf(list.map(({ record }) => record));
    return list.map((entry, at) => ({
      ...entry,
      key: keys[at]!,
      isContext: context.has(keys[at]!),
      contents: contents[at]!,
    }));
  }

  end(): Draft {
    const draft = this.#draft;
    for (const [at, { place, context, keys, entries }] of this.#epochs.entries()) {
      const list = keys.map((key) => entries.get(key)!);
      const contents = contentsOf(list.map(({ record }) => record));
      if (place > 0) {
        const first = keys[0];
        const isSummary =
          first !== undefined &&
          context.has(first) &&
          this.#epochs[at - 1]?.entries.has(first) !== true &&
          list[0]!.record["type"] === "user";
        const [summary] = isSummary ? contents[0]! : [];
        draft.compact(place, contents.filter((_, index) => context.has(keys[index]!)).flat(), {
          ...(summary && { summary: said(summary) }),
        });
      }
      list.forEach((entry, index) => {
        if (!context.has(keys[index]!)) push(draft, entry, contents[index]!);
      });
    }
    for (const { place, entries } of this.#rewound) {
      const contents = contentsOf(entries.map(({ record }) => record));
      if (contents.flat().length === 0) continue;
      const chain = draft.chain(`rewind:${place}`, { kind: "branch" });
      entries.forEach((entry, index) => push(chain, entry, contents[index]!));
    }
    return draft;
  }
}

/** Returns whether a list has not all records of an epoch that are sent. */
function lacks({ keys, entries }: Epoch, named: ReadonlyMap<string, Fields>): boolean {
  return keys.some((key) => !named.has(key) && contentsOf([entries.get(key)!.record]).flat().length > 0);
}

/** Returns a record of a list, which has the time of the list, and lacks what was reported for the answer. */
function merged(listed: Fields, known: Fields = {}): Fields {
  const record = { ...listed };
  if (known["timestamp"] !== undefined) record["timestamp"] = known["timestamp"];
  for (const name of ["tokens", "model"]) if (name in known && !(name in record)) record[name] = known[name];
  return record;
}

function said({ parts }: Fields): string {
  return objects(parts)
    .map((part) => text(part["text"]) ?? "")
    .join("");
}

function push(draft: Draft, { record, places }: Entry, contents: readonly Fields[]): void {
  const time = timeOf(record["timestamp"]);
  const id = text(record["id"]);
  const model = text(record["model"]);
  for (const [at, content] of contents.entries()) {
    const index = draft.push(content, places[0]!, {
      ...(time !== undefined && { time }),
      ...(isInjected(content) && { injected: true }),
      ...(at === 0 && id !== undefined && { id }),
    });
    for (const place of places.slice(1)) draft.extend(index, content, place);
    if (content["role"] !== "model") continue;
    draft.tell({ model });
    draft.report(index, usageFrom(fields(record["tokens"])), model);
  }
}
