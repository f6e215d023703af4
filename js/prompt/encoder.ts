/** Writes nodes as the core reads them: numbers and the bytes of one text (see `src/bindings/prompt.rs`). */

import type { Part as NeutralPart } from "../types.ts";
import { Flag } from "./render-tree.ts";
import type { BreakpointNode, ElementNode, OpaqueNode, TextNode } from "./render-tree.ts";

const UTF8 = new TextEncoder();
const LEAF = { image: 0, document: 1, opaque: 2, breakpoint: 3 } as const;

export class Encoder {
  // Written in place: a list that is copied in the end costs twice as much.
  #numbers = new Float64Array(256);
  #length = 0;
  #text = "";
  /** Whether the core counts, and so has to know what parts are. */
  readonly #counted: boolean;

  constructor(counted: boolean) {
    this.#counted = counted;
  }

  /** What was written since the last call. */
  take(): { numbers: Float64Array; text: Uint8Array } {
    const taken = { numbers: this.#numbers.subarray(0, this.#length), text: UTF8.encode(this.#text) };
    this.#numbers = new Float64Array(256);
    this.#length = 0;
    this.#text = "";
    return taken;
  }

  /** Makes room for so many numbers, and returns where they go. */
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
    this.#numbers[this.#reserve(1)] = 0;
  }

  text(node: TextNode): void {
    const { literals, text } = node;
    const at = this.#reserve(5);
    const numbers = this.#numbers;
    numbers[at] = this.#counted ? 2 : 4;
    numbers[at + 1] = text.length;
    numbers[at + 2] = node.priority;
    numbers[at + 3] = node.lineBreakBefore ? 1 : 0;
    if (!literals) numbers[at + 4] = 0;
    else if (!literals.some(({ counts }) => counts)) numbers[at + 4] = -1;
    else {
      numbers[at + 4] = literals.length;
      for (const { text, counts } of literals) this.#put(text.length, counts ? 1 : 0);
    }
    if (this.#counted) this.#write(text);
    else this.#put(text.endsWith("\n") ? 1 : 0, /\S/.test(text) ? 0 : 1);
  }

  opaque(node: OpaqueNode, part: NeutralPart | undefined): void {
    this.#put(3, LEAF.opaque, node.priority ?? NaN, node.tokenUsage ?? 0);
    this.#json(this.#counted ? part : undefined);
  }

  breakpoint(_: BreakpointNode): void {
    this.#put(3, LEAF.breakpoint, NaN, 0, 0);
  }

  /** Opens an element. `inLayout` says whether an empty message of its kind is charged to it. */
  open(node: ElementNode, part: NeutralPart | undefined, { dynamic, expandable, spliced, inLayout }: Opening): void {
    const { props, flags, kind } = node;
    const bits =
      (flags & Flag.passPriority ? 1 : 0) | (flags & Flag.chunk ? 2 : 0) | (flags & Flag.legacy ? 4 : 0) | (flags & Flag.alternate ? 8 : 0) |
      (dynamic ? 16 : 0) | (expandable ? 32 : 0) | (spliced ? 64 : 0);
    const reserve = props.flexReserve as number | string | undefined;
    const at = this.#reserve(9);
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
    if (kind === "container") this.#numbers[this.#reserve(1)] = 0;
    else if (kind === "message") {
      this.#put(1, props.role, inLayout ? 1 : 0);
      this.#json(this.#counted || node.calls?.length ? message(node, this.#counted) : undefined);
    } else {
      this.#put(2, LEAF[kind], 0);
      this.#json(this.#counted ? part : undefined);
    }
  }

  #json(value: unknown): void {
    const text = value === undefined ? "" : JSON.stringify(value);
    this.#put(text.length);
    this.#write(text);
  }

  #write(text: string): void {
    // Halves of pairs could meet others across the seam, and lengths would not be right any more.
    this.#text += wellFormed(text);
  }
}

export interface Opening {
  dynamic?: boolean;
  expandable?: boolean;
  spliced?: boolean;
  inLayout?: boolean;
}

function message({ props, calls, callsKeptWith, toolCallId }: ElementNode, counted: boolean): unknown {
  const text = (value: unknown) => (counted ? String(value ?? "") : "");
  return {
    ...(counted && props.name && { name: String(props.name) }),
    ...(counted && toolCallId !== undefined && { callId: String(toolCallId) }),
    calls: (calls ?? []).map(({ id, function: called }, at) => ({
      callId: text(id), name: text(called?.name), arguments: text(called?.arguments), keepWith: callsKeptWith?.[at],
    })),
  };
}

function wellFormed(text: string): string {
  const known = text as string & { isWellFormed?(): boolean; toWellFormed?(): string };
  if (known.isWellFormed ? known.isWellFormed() : !/[\ud800-\udfff]/.test(text)) return text;
  return known.toWellFormed?.() ?? text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) => (found.length === 2 ? found : "\ufffd"));
}
