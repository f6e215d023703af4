/**
 * A conversation that is read message by message as it grows: each message once, in time proportional to it. The host's objects are kept
 * by id, and a plan is carried out on them as on any conversation.
 */

import { badOption } from "../errors.ts";
import type { EspalierError } from "../errors.ts";
import type { Format, NeutralMessage, PlanItem } from "../types.ts";
import { bad, isFields, looking } from "./adapter.ts";
import type { Adapter, Reading } from "./adapter.ts";
import { neutralMessage } from "./espalier.ts";
import { unledBy } from "./thinking.ts";

/** Reads message number `at`, which is at `path`. */
type Read = (original: Record<string, unknown>, at: number, path: string) => NeutralMessage;

export class Growing {
  private originals: unknown[] = [];
  /** By number. */
  private readonly names: string[] = [];
  private readonly ids = new Map<string, number>();
  private read: Read;
  private whole: Reading | undefined;
  /** Something in it is not for the model. */
  private withholds = false;
  private readonly format: Format;
  private readonly reader: () => Read;
  private readonly forModel: (message: Record<string, unknown>) => Record<string, unknown>;
  private readonly readWhole: (list: readonly unknown[]) => Reading;

  /** `reader` makes what reads messages from the first on; `readWhole` reads a list at once, with the same ids. `forModel` leaves out what is not for the model. */
  constructor(format: Format, reader: () => Read, readWhole: (list: readonly unknown[]) => Reading, forModel: (message: Record<string, unknown>) => Record<string, unknown> = (message) => message) {
    this.format = format;
    this.forModel = forModel;
    this.reader = reader;
    this.readWhole = readWhole;
    this.read = reader();
  }

  /** How many messages there are. */
  get length(): number {
    return this.originals.length;
  }

  /** Reads these messages; they belong to the conversation once they are kept. `name` names the list in errors. */
  push(list: readonly unknown[], name = "messages"): { messages: NeutralMessage[]; keep(): void } {
    const from = this.originals.length;
    const messages: NeutralMessage[] = [];
    let withholds = false;
    try {
      // Not `map`: it would skip holes.
      for (const [number, original] of list.entries()) {
        const path = `${name}[${number}]`;
        messages.push(looking(path, () => {
          if (!isFields(original)) throw bad(path, "a message", original);
          const shown = this.forModel(original);
          withholds ||= shown !== original;
          return this.read(shown, from + number, path);
        }));
      }
    } catch (error) {
      this.forget();
      throw error;
    }
    return {
      messages,
      keep: () => {
        this.withholds ||= withholds;
        messages.forEach(({ id }, number) => this.ids.set(id, from + number));
        // One by one: a spread of a hundred thousand arguments does not fit the stack.
        for (const [number, original] of list.entries()) {
          this.originals.push(original);
          this.names.push(messages[number]!.id);
        }
      },
    };
  }

  /** Readers remember calls for their results: what was read in vain must not be remembered. */
  forget(): void {
    this.read = this.reader();
    this.originals.forEach((original, at) => this.read(this.forModel(original as Record<string, unknown>), at, `messages[${at}]`));
  }

  /** The host's own objects from a number on. */
  from(number: number): unknown[] {
    return this.originals.slice(number);
  }

  /** The host's own object. */
  original(id: string): unknown {
    const at = this.ids.get(id);
    return at === undefined ? undefined : this.originals[at];
  }

  /** Messages in the host's format; whatever is not changed is the host's own object. */
  rebuild(plan: readonly PlanItem[]): unknown[] {
    // Read once and extended then, so that a conversation under way costs what is new.
    if (this.whole) this.whole.extend();
    else this.whole = this.readWhole(this.originals);
    return [...(this.whole.rebuild(plan) as unknown[])];
  }

  /** Ids of the messages whose thoughts stay where they are; nothing if none may be carried. */
  unled(): string[] | undefined {
    return unledBy(this.format, this.originals, (at) => this.names[at]!);
  }

  /**
   * The same from runs: pairs of the number of the first message and how many, or of the number of an item and 0. Also gives the plan as
   * items.
   */
  rebuildRuns(runs: readonly number[], items: readonly PlanItem[]): { plan: PlanItem[]; messages: unknown[] } {
    const plan: PlanItem[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [first, length] = [runs[at]!, runs[at + 1]!];
      if (length === 0) plan.push(items[first]!);
      for (let number = first; number < first + length; number += 1) plan.push({ type: "keep", id: this.names[number]! });
    }
    // One run is the host's messages as they are: no adapter has to look.
    if (runs.length === 2 && runs[1]! > 0 && !this.withholds) return { plan, messages: this.originals.slice(runs[0], runs[0]! + runs[1]!) };
    return { plan, messages: this.rebuild(plan) };
  }
}

/** How an adapter reads one message after the other. */
export function readsWith<Piece>(adapter: Adapter<Piece>): () => Read {
  return () => {
    const state = new Map<string, unknown>();
    return (original, at, path) => adapter.read(original, at, path, state).message;
  };
}

/** How neutral messages are read. */
export function readsNeutral(): Read {
  return (original, _at, path) => neutralMessage(original as unknown as NeutralMessage, path);
}

/** @throws EspalierError `bad_option` */
export function unknownFormat(format: unknown, formats: readonly string[]): EspalierError {
  return badOption("format", `one of ${formats.join(", ")}`, format);
}
