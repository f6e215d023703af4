/**
 * The format of questions about documents and their answers: a list of numbers and a list of texts, in the order in
 * which the engine reads them (`src/document/library/tape.rs`). Values are checked before they are added here, and the
 * callers make objects of answers.
 */

import { call, wasm } from "../engine/engine.ts";
import type { Basis } from "./structure.ts";
import type { FlatTree } from "./flatten.ts";
import { append } from "../formats/append.ts";

/** Questions that the engine answers. */
export type Asked =
  | "languages"
  | "structure"
  | "costs"
  | "summarize"
  | "summarizeCompatible"
  | "reduce"
  | "reduceCompatible"
  | "diff"
  | "facts"
  | "outline"
  | "map"
  | "forget";

/** A document as it crosses. `settings` is the result of `settingsOf`. */
export interface Crossing {
  text: string;
  language: string | undefined;
  settings: readonly number[];
}

/** A question to the engine. */
export class Question {
  readonly #texts: string[] = [];
  readonly #numbers: number[] = [];

  text(...texts: readonly (string | undefined)[]): this {
    append(
      this.#texts,
      texts.map((text) => text ?? ""),
    );
    return this;
  }

  number(...numbers: readonly number[]): this {
    append(this.#numbers, numbers);
    return this;
  }

  flag(flag: boolean): this {
    return this.number(Number(flag));
  }

  /** An optional text. */
  maybe(text: string | undefined): this {
    return text === undefined ? this.number(0) : this.number(1).text(text);
  }

  /** A list of texts of any length. */
  texts(texts: readonly string[]): this {
    this.#numbers.push(texts.length);
    for (const text of texts) this.#texts.push(text);
    return this;
  }

  /** A list of numbers, which can be millions. */
  numbers(numbers: Iterable<number> & { readonly length: number }): this {
    this.#numbers.push(numbers.length);
    for (const number of numbers) this.#numbers.push(number);
    return this;
  }

  document({ text, language, settings }: Crossing): this {
    return this.text(text, language).number(...settings);
  }

  /** The tree of the host, if any, with the query that was registered with the language. */
  tree(tree: FlatTree | undefined, query: string | undefined): this {
    if (!tree) return this.number(0);
    return this.number(1).numbers(tree.nodes).texts(tree.kinds).texts(tree.fields).maybe(query);
  }

  /**
   * Asks the engine.
   *
   * @throws EspalierError the error of the engine
   */
  ask(what: Asked): Answer {
    return new Answer(
      call(() => wasm().documents(what, this.#texts, Float64Array.from(this.#numbers)) as [Float64Array, string]),
    );
  }
}

/** An answer of the engine, read in order. */
export class Answer {
  readonly #numbers: Float64Array;
  readonly #texts: string;
  #at = 0;
  #reached = 0;

  constructor([numbers, texts]: [Float64Array, string]) {
    this.#numbers = numbers;
    this.#texts = texts;
  }

  number(): number {
    return this.#numbers[this.#at++]!;
  }

  flag(): boolean {
    return this.number() !== 0;
  }

  text(): string {
    const start = this.#reached;
    this.#reached += this.number();
    return this.#texts.slice(start, this.#reached);
  }

  pair(): [number, number] {
    return [this.number(), this.number()];
  }

  maybe<T>(read: () => T): T | undefined {
    return this.flag() ? read() : undefined;
  }

  list<T>(read: () => T): T[] {
    const list: T[] = [];
    for (let left = this.number(); left > 0; left--) list.push(read());
    return list;
  }

  basis(): Basis {
    const why = this.text();
    return why === ""
      ? { path: "syntax", hasErrors: this.flag(), work: this.number() }
      : { path: "indentation", why: why as (Basis & { path: "indentation" })["why"] };
  }
}
