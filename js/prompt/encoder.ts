/** Writes nodes in the form that the core reads: numbers, and one text as bytes (see `src/bindings/prompt.rs`). */

import type { Part as NeutralPart } from "../types/messages.ts";
import { neutralPart } from "./parts.ts";
import { Flag } from "./render-tree.ts";
import type { BreakpointNode, ElementNode, OpaqueNode, TextNode } from "./render-tree.ts";

const UTF8 = new TextEncoder();
const LEAF = { image: 0, document: 1, opaque: 2, breakpoint: 3 } as const;
const NO_BYTES = new Uint8Array(0);
/** Initial capacity of a buffer, in numbers: enough for fifty elements. */
const FIRST_SIZE = 512;
/** Max capacity of a buffer that is kept for the next prompt. */
const MAX_KEPT = 65_536;
/** The buffer of a finished prompt, for reuse. */
let spare: Float64Array | undefined;

export class Encoder {
  // Written in place: copying a list at the end costs twice as much.
  #numbers: Float64Array;
  #length = 0;
  #text = "";
  /** Number of entries that belong to complete records. */
  #complete = 0;
  #completeText = 0;
  /** Number of completely written nodes since the beginning. */
  nodes = 0;
  /** True if the core counts and has to know the parts. */
  readonly #counted: boolean;

  constructor(counted: boolean) {
    this.#counted = counted;
    this.#numbers = spare ?? new Float64Array(FIRST_SIZE);
    spare = undefined;
  }

  /** Returns what was written since `clear`. The numbers are a view, which changes with further writes. */
  written(): { numbers: Float64Array; text: Uint8Array } {
    return {
      numbers: this.#numbers.subarray(0, this.#length),
      text: this.#text === "" ? NO_BYTES : UTF8.encode(this.#text),
    };
  }

  clear(): void {
    this.#length = this.#complete = this.#completeText = 0;
    this.#text = "";
  }

  /** Releases the buffer for the next prompt; later writes need a new one. */
  release(): void {
    this.clear();
    if (this.#numbers.length > 0 && this.#numbers.length <= MAX_KEPT) spare = this.#numbers;
    this.#numbers = new Float64Array(0);
  }

  /** Removes an incomplete record. */
  rollBack(): void {
    this.#length = this.#complete;
    this.#text = this.#text.slice(0, this.#completeText);
  }

  #end(nodes = 1): void {
    this.#complete = this.#length;
    this.#completeText = this.#text.length;
    this.nodes += nodes;
  }

  /** Reserves room for `count` numbers, and returns its start. */
  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#numbers.length) {
      const larger = new Float64Array(Math.max(this.#length, this.#numbers.length * 2));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    return at;
  }

  #put(...numbers: number[]): void {
    const at = this.#reserve(numbers.length);
    this.#numbers.set(numbers, at);
  }

  close(): void {
    const at = this.#reserve(1);
    this.#numbers[at] = 0;
    this.#end(0);
  }

  text({ literals, text, priority, lineBreakBefore }: TextNode): void {
    const counted = this.#counted;
    const at = this.#reserve(5);
    const numbers = this.#numbers;
    numbers[at] = counted ? 2 : 4;
    numbers[at + 1] = text.length;
    numbers[at + 2] = priority;
    numbers[at + 3] = lineBreakBefore ? 1 : 0;
    if (!literals) numbers[at + 4] = 0;
    else if (!literals.some(({ counts }) => counts)) numbers[at + 4] = -1;
    else {
      numbers[at + 4] = literals.length;
      for (const { text, counts } of literals) this.#put(text.length, counts ? 1 : 0);
    }
    if (counted) this.#write(text);
    else {
      const flags = this.#reserve(2);
      this.#numbers[flags] = text.endsWith("\n") ? 1 : 0;
      this.#numbers[flags + 1] = /\S/.test(text) ? 0 : 1;
    }
    this.#end();
  }

  opaque(node: OpaqueNode): void {
    this.#put(3, LEAF.opaque, node.priority ?? NaN, node.tokenUsage ?? 0);
    this.#part(node);
    this.#end();
  }

  breakpoint(_: BreakpointNode): void {
    this.#put(3, LEAF.breakpoint, NaN, 0, 0);
    this.#end();
  }

  /** Opens an element. */
  open(node: ElementNode, { dynamic, expandable }: Opening): void {
    const { props, flags, kind } = node;
    const bits =
      (flags & Flag.passPriority ? 1 : 0) |
      (flags & Flag.chunk ? 2 : 0) |
      (flags & Flag.legacy ? 4 : 0) |
      (flags & Flag.alternate ? 8 : 0) |
      (dynamic ? 16 : 0) |
      (expandable ? 32 : 0) |
      (node.spliced ? 64 : 0);
    const reserve = props.flexReserve as number | string | undefined;
    const at = this.#reserve(10);
    const numbers = this.#numbers;
    numbers[at] = 1;
    numbers[at + 1] = bits;
    numbers[at + 2] = props.priority ?? NaN;
    numbers[at + 3] = props.flexBasis ?? 1;
    numbers[at + 4] = props.flexGrow ?? NaN;
    numbers[at + 5] = !reserve ? 0 : typeof reserve === "number" ? 1 : 2;
    numbers[at + 6] = !reserve ? 0 : typeof reserve === "number" ? reserve : Number(reserve.slice(1));
    numbers[at + 7] = node.limit ?? NaN;
    numbers[at + 8] = node.keepWith ?? NaN;
    if (kind === "container") numbers[at + 9] = 0;
    else if (kind === "message") {
      numbers[at + 9] = 1;
      this.#message(node);
    } else {
      numbers[at + 9] = 2;
      this.#put(LEAF[kind], 0);
      this.#part(node);
    }
    this.#end();
  }

  #message(node: ElementNode): void {
    const { calls, callsKeptWith = [] } = node;
    const count = calls?.length ?? 0;
    const at = this.#reserve(3 + count);
    this.#numbers[at] = node.props.role;
    this.#numbers[at + 1] = node.inLayout ? 1 : 0;
    this.#numbers[at + 2] = count;
    for (let index = 0; index < count; index++) this.#numbers[at + 3 + index] = callsKeptWith[index] ?? NaN;
    this.#json(this.#counted ? message(node) : undefined);
  }

  #part(node: ElementNode | OpaqueNode): void {
    this.#json(this.#counted ? neutralPart(node) : undefined);
  }

  #json(value: NeutralPart | object | undefined): void {
    const text = value === undefined ? "" : JSON.stringify(value);
    const at = this.#reserve(1);
    this.#numbers[at] = text.length;
    if (text !== "") this.#write(text);
  }

  #write(text: string): void {
    // Half a surrogate pair could meet another half across the seam, and lengths would be wrong.
    this.#text += wellFormed(text);
  }
}

export interface Opening {
  /** True if its children are not known yet. */
  dynamic?: boolean;
  expandable?: boolean;
}

function message({ props, calls, toolCallId }: ElementNode): object {
  const text = (value: unknown) => String(value ?? "");
  return {
    ...(props.name && { name: text(props.name) }),
    ...(toolCallId !== undefined && { callId: text(toolCallId) }),
    calls: (calls ?? []).map(({ id, function: called }) => ({
      callId: text(id),
      name: text(called?.name),
      arguments: text(called?.arguments),
    })),
  };
}

function wellFormed(text: string): string {
  const known = text as string & { isWellFormed?(): boolean; toWellFormed?(): string };
  if (known.isWellFormed ? known.isWellFormed() : !/[\ud800-\udfff]/.test(text)) return text;
  return (
    known.toWellFormed?.() ??
    text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) => (found.length === 2 ? found : "\ufffd"))
  );
}
