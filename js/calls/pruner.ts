/**
 * Prunes request after request: keeps counts for the next request, and cuts each one like the previous one while that
 * fits.
 */

import { cutOf, pruneFields, rebuilt } from "./prune-fields.ts";
import type { Cut, Pruned } from "./prune-fields.ts";
import { cutToLimits } from "./request-limits.ts";
import { withRepairs } from "./wire-repair.ts";
import { withModelOf } from "./reading.ts";
import type { counting } from "./reading.ts";
import type { Reading } from "../formats/adapter.ts";
import { call, wasm } from "../engine/engine.ts";
import type { Wasm } from "../engine/engine.ts";
import { readConversation } from "../formats/index.ts";
import type { NeutralMessage, NotText, Part, PlanItem } from "../types/messages.ts";
import type { MessageFate, PruneCut, PruneOptions, PruneResult } from "../types/prune.ts";
import { check } from "../options/check.ts";
import { defined } from "../options/data.ts";
import { PRUNE } from "../options/schemas/requests.ts";

type Held = InstanceType<Wasm["HeldConversation"]>;

/** A report whose `plan` and `messages` are in a short form; see the core's `Brief`. */
type HeldPruned = Pruned & {
  items: ([first: number, count: number] | PlanItem)[];
  rows: ([first: number, count: number, fate: MessageFate["fate"], rule: string | null] | MessageFate)[];
};

/**
 * {@link prune} for a growing conversation. Pass all of its messages each time: unchanged ones are not counted again,
 * and the last request's cut is kept unless `previous` replaces it (`undefined` for none).
 *
 * ```ts
 * import OpenAI from "openai";
 * import { Pruner } from "espalier";
 *
 * const client = new OpenAI();
 * const pruner = new Pruner();
 * const messages: OpenAI.ChatCompletionMessageParam[] = [];
 * for (const content of ["Why does the build fail?", "Mend it."]) {
 *   messages.push({ role: "user", content });
 *   const { messages: fitting } = pruner.prune(messages, { budget: 128_000 });
 *   const reply = await client.chat.completions.create({ model: "gpt-4o", messages: fitting });
 *   messages.push(reply.choices[0]!.message);
 * }
 * messages.length; // => 4
 * pruner.free();
 * ```
 */
export class Pruner {
  /** Keeps the name when the file is minified. */
  static readonly name: string = "Pruner";
  /** The cut of the last request: plain data, for continuing after a restart. */
  cut: PruneCut | undefined;
  #held: Held | undefined;
  /** The engine's instance of `#held`; a crashed instance has lost it. */
  #instance: Wasm | undefined;
  #counting = "";
  /** The host's functions that counted. */
  #functions: unknown[] = [];
  #messages: readonly NeutralMessage[] = [];
  /** Tokens of each of them. */
  readonly #counts: number[] = [];

  /** @throws EspalierError `bad_option` if `cut` is no cut, such as the options, which each call of `prune` takes */
  constructor(cut?: PruneCut) {
    this.cut = cut && cutOf(cut, "cut");
  }

  /** @throws EspalierError as {@link prune}; the kept state does not change then */
  prune<T>(messages: T & NotText<T>, options: PruneOptions = {}): PruneResult<T> {
    const reading = readConversation(messages, check(options, PRUNE));
    return this.pruneRead(reading, withModelOf(messages, options)) as PruneResult<T>;
  }

  /** Prunes messages that were already read. */
  pruneRead(reading: Reading, options: PruneOptions): PruneResult<unknown> {
    const { messages, report, repaired } = this.cutRead(reading, options);
    return { messages, report: withRepairs(report, repaired) };
  }

  /**
   * The same for a provider that costs do not depend on, with what its rules did apart.
   *
   * @internal
   */
  cutRead(reading: Reading, options: PruneOptions, receiver = options.provider): Cut {
    const previous = "previous" in options ? options.previous : this.cut;
    const cut = (budget?: number) => {
      const asked = { ...options, ...(previous && { previous }), ...(budget !== undefined && { budget }) };
      const fields = pruneFields(reading, asked, receiver);
      const held = this.#hold(reading.messages, fields);
      const text = call(() => held.prune(fields));
      return rebuilt(this.#whole(JSON.parse(text) as HeldPruned), reading, asked, receiver);
    };
    const done = cutToLimits(cut, options.limits);
    this.cut = done.report.cut;
    return done;
  }

  /**
   * Returns the engine's half with these messages.
   *
   * @internal
   */
  held({ messages }: Reading, fields: ReturnType<typeof counting>): Held {
    return this.#hold(messages, fields);
  }

  /** Adds the items and rows of messages that are whole or gone, which the engine leaves out. */
  #whole({ items, rows, ...report }: HeldPruned): Pruned {
    const numbers = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
    const plan = items.flatMap((item): PlanItem[] => {
      if (!Array.isArray(item)) return [item];
      return numbers(...item).map((number) => ({ type: "keep", id: this.#messages[number]!.id }));
    });
    const messages = rows.flatMap((row): MessageFate[] => {
      if (!Array.isArray(row)) return [row];
      const [first, count, fate, rule] = row;
      return numbers(first, count).map((number) => {
        const { id, role } = this.#messages[number]!;
        const before = this.#counts[number]!;
        const after = fate === "kept" ? before : 0;
        return rule === null ? { id, role, before, after, fate } : { id, role, before, after, fate, rule };
      });
    });
    return { ...report, plan, messages };
  }

  #hold(messages: readonly NeutralMessage[], fields: ReturnType<typeof counting>): Held {
    const { encoding, model, costModel, format, images, imageNumbers, tokenizer, imageSize } = fields;
    const told = defined({ encoding, model, costModel, format, images, imageNumbers });
    const key = JSON.stringify(told);
    const instance = wasm();
    const functions = [tokenizer, imageSize];
    const isSame = this.#counting === key && functions.every((each, at) => each === this.#functions[at]);
    if (!this.#held || this.#instance !== instance || !isSame) {
      this.free();
      this.#held = call(() => new instance.HeldConversation({ ...told, tokenizer, imageSize, tools: [] }));
      this.#functions = functions;
      this.#instance = instance;
      this.#counting = key;
    }
    const held = this.#held;
    let same = 0;
    while (same < messages.length && same < this.#messages.length && areEqual(messages[same]!, this.#messages[same]!))
      same++;
    if (same < messages.length || same < this.#messages.length) {
      // If the core refused them, it would still keep the first ones.
      const added = messages.slice(same);
      this.#messages = this.#messages.slice(0, same);
      const counts = call(() => held.splice(same, added));
      // The equal ones of this reading die young: kept, all of them would be promoted at every request.
      this.#messages = [...this.#messages, ...added];
      this.#counts.length = same;
      for (const tokens of counts) this.#counts.push(tokens);
    }
    return held;
  }

  /** Frees the engine's memory; the pruner can still be used. */
  free(): void {
    // A crashed instance lost its memory, and must not be asked to free it, not even by the garbage collector.
    if (this.#held && this.#instance === wasm()) this.#held.free();
    else (this.#held as { __destroy_into_raw?(): number } | undefined)?.__destroy_into_raw?.();
    this.#held = undefined;
    this.#messages = [];
  }
}

/**
 * Returns true if two readings are equal. Unchanged texts of a host are the same strings, so this compares few
 * characters.
 */
function areEqual(a: NeutralMessage, b: NeutralMessage): boolean {
  return a === b || (a.id === b.id && a.role === b.role && a.name === b.name && areSame(a.parts, b.parts));
}

function areSame(a: readonly Part[], b: readonly Part[]): boolean {
  return a === b || (a.length === b.length && a.every((part, at) => isSamePart(part, b[at]!)));
}

function isSamePart(a: Part, b: Part): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => {
    const [x, y] = [a[key as keyof Part] as unknown, b[key as keyof Part] as unknown];
    return x === y || (Array.isArray(x) && Array.isArray(y) && areSame(x as Part[], y as Part[]));
  });
}
