/**
 * A conversation that is read message by message as it grows: each message once, in time proportional to it. The host's
 * objects are kept by id, and a plan is carried out on them as on any conversation.
 */

import { badOption } from "../errors/errors.ts";
import type { EspalierError } from "../errors/errors.ts";
import type { NeutralMessage, PlanItem } from "../types/messages.ts";
import { carriedOut, readsAgain } from "./adapter.ts";
import { bad, isFields, looking } from "./values.ts";
import type { Adapter, Hosts, Rules } from "./adapter.ts";
import type { Fields } from "./values.ts";
import { carriedOutNeutral, neutralMessage } from "./neutral/read.ts";
import { idsOfFixedThoughts } from "./thinking.ts";

/** Reads messages in their order, and carries out plans on what was read. */
interface Reader {
  /** Reads message number `at`, which is at `path`. */
  read(original: Fields, at: number, path: string): NeutralMessage;
  carryOut(plan: readonly PlanItem[], hosts: Pick<Hosts<unknown>, "source" | "place" | "original">): unknown[];
}

export class Growing {
  private originals: unknown[] = [];
  /** By number. */
  private readonly names: string[] = [];
  private readonly ids = new Map<string, number>();
  private reader: Reader;
  /** What of messages is for the model, by number, where that is not all. */
  private readonly shown = new Map<number, Fields>();
  private readonly rules: Rules<never>;
  private readonly begin: () => Reader;
  private readonly forModel: (message: Fields) => Fields;

  /** `begin` makes what reads messages from the first on. `forModel` leaves out what is not for the model. */
  constructor(rules: Rules<never>, begin: () => Reader, forModel: (message: Fields) => Fields = (message) => message) {
    this.rules = rules;
    this.forModel = forModel;
    this.begin = begin;
    this.reader = begin();
  }

  /** How many messages there are. */
  get length(): number {
    return this.originals.length;
  }

  /** Reads these messages; they belong to the conversation once they are kept. `name` names the list in errors. */
  push(list: readonly unknown[], name = "messages"): { messages: NeutralMessage[]; keep(): void } {
    const from = this.originals.length;
    const messages: NeutralMessage[] = [];
    const withheld: [number, Fields][] = [];
    try {
      // Not `map`: it would skip holes.
      for (const [number, original] of list.entries()) {
        const path = `${name}[${number}]`;
        messages.push(
          looking(path, () => {
            if (!isFields(original)) throw bad(path, "a message", original);
            const shown = this.forModel(original);
            if (shown !== original) withheld.push([from + number, shown]);
            return this.reader.read(shown, from + number, path);
          }),
        );
      }
    } catch (error) {
      this.forget();
      throw error;
    }
    return {
      messages,
      keep: () => {
        for (const [at, shown] of withheld) this.shown.set(at, shown);
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
    this.reader = this.begin();
    this.originals.forEach((_, at) => this.reader.read(this.forTheModel(at), at, `messages[${at}]`));
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
    const original = (at: number) => this.forTheModel(at);
    return this.reader.carryOut(plan, { source: { list: this.originals }, place: (id) => this.ids.get(id), original });
  }

  private forTheModel(at: number): Fields {
    return this.shown.get(at) ?? (this.originals[at] as Fields);
  }

  /** Ids of the messages whose thoughts stay where they are; nothing if none may be carried. */
  unled(): string[] | undefined {
    return idsOfFixedThoughts(this.rules, this.originals, (at) => this.names[at]!);
  }

  /**
   * The same from runs: pairs of the number of the first message and how many, or of the number of an item and 0. Also
   * gives the plan as items.
   */
  rebuildRuns(runs: readonly number[], items: readonly PlanItem[]): { plan: PlanItem[]; messages: unknown[] } {
    const plan: PlanItem[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [first, length] = [runs[at]!, runs[at + 1]!];
      if (length === 0) plan.push(items[first]!);
      for (let number = first; number < first + length; number += 1)
        plan.push({ type: "keep", id: this.names[number]! });
    }
    // One run is the host's messages as they are: no adapter has to look, unless what the run begins with may depend
    // on what was before it.
    const stands = runs[0] === 0 || this.rules.inAnswer === undefined;
    if (runs.length === 2 && runs[1]! > 0 && this.shown.size === 0 && stands)
      return { plan, messages: this.originals.slice(runs[0], runs[0]! + runs[1]!) };
    return { plan, messages: this.rebuild(plan) };
  }
}

/**
 * With an adapter. Of what was read nothing is kept but what it needs for reading more: what a plan changes is read
 * again.
 */
export function readsWith<Piece>(adapter: Adapter<Piece>): () => Reader {
  return () => {
    const state = new Map<string, unknown>();
    return {
      read: (original, at, path) => adapter.read(original, at, path, state).message,
      carryOut: (plan, hosts) => carriedOut(adapter, plan, { ...hosts, again: readsAgain(adapter, state, "messages") }),
    };
  };
}

/** Neutral messages. */
export function readsNeutral(): Reader {
  return {
    read: (original, _at, path) => neutralMessage(original as unknown as NeutralMessage, path),
    carryOut(plan, { place, original }) {
      const of = (id: string) => {
        const at = place(id);
        return at === undefined ? undefined : (original(at) as unknown as NeutralMessage);
      };
      return carriedOutNeutral(plan, of);
    },
  };
}

/** @throws EspalierError `bad_option` */
export function unknownFormat(format: unknown, formats: readonly string[]): EspalierError {
  return badOption("format", `one of ${formats.join(", ")}`, format);
}
