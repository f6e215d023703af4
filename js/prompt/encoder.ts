/** Writes nodes as the core reads them: numbers and one text (see `src/bindings/prompt.rs`). */

import type { Part as NeutralPart } from "../types.ts";
import { Flag } from "./render-tree.ts";
import type { BreakpointNode, ElementNode, OpaqueNode, TextNode } from "./render-tree.ts";

const LEAF = { image: 0, document: 1, opaque: 2, breakpoint: 3 } as const;

export class Encoder {
  #numbers: number[] = [];
  #texts: string[] = [];
  /** Whether the core counts, and so has to know what parts are. */
  readonly #counted: boolean;

  constructor(counted: boolean) {
    this.#counted = counted;
  }

  /** What was written since the last call. */
  take(): { numbers: Float64Array; text: string } {
    const taken = { numbers: Float64Array.from(this.#numbers), text: this.#texts.join("") };
    this.#numbers = [];
    this.#texts = [];
    return taken;
  }

  close(): void {
    this.#numbers.push(0);
  }

  text(node: TextNode): void {
    const { literals } = node;
    this.#numbers.push(2, node.text.length, node.priority, node.lineBreakBefore ? 1 : 0);
    this.#write(node.text);
    if (!literals) this.#numbers.push(0);
    else if (!literals.some(({ counts }) => counts)) this.#numbers.push(-1);
    else {
      this.#numbers.push(literals.length);
      for (const { text, counts } of literals) this.#numbers.push(text.length, counts ? 1 : 0);
    }
  }

  opaque(node: OpaqueNode, part: NeutralPart | undefined): void {
    this.#numbers.push(3, LEAF.opaque, node.priority ?? NaN, node.tokenUsage ?? 0);
    this.#json(this.#counted ? part : undefined);
  }

  breakpoint(_: BreakpointNode): void {
    this.#numbers.push(3, LEAF.breakpoint, NaN, 0, 0);
  }

  /** Opens an element. `inLayout` says whether an empty message of its kind is charged to it. */
  open(node: ElementNode, part: NeutralPart | undefined, { dynamic, expandable, spliced, inLayout }: Opening): void {
    const { props, flags, kind } = node;
    const bits =
      (flags & Flag.passPriority ? 1 : 0) | (flags & Flag.chunk ? 2 : 0) | (flags & Flag.legacy ? 4 : 0) | (flags & Flag.alternate ? 8 : 0) |
      (dynamic ? 16 : 0) | (expandable ? 32 : 0) | (spliced ? 64 : 0);
    const reserve = props.flexReserve as number | string | undefined;
    const [reserveKind, amount] = !reserve ? [0, 0] : typeof reserve === "number" ? [1, reserve] : [2, Number(reserve.slice(1))];
    this.#numbers.push(
      1, bits, props.priority ?? NaN, props.flexBasis ?? 1, props.flexGrow ?? NaN, reserveKind, amount, node.limit ?? NaN, node.keepWith ?? NaN,
    );
    if (kind === "container") this.#numbers.push(0);
    else if (kind === "message") {
      this.#numbers.push(1, props.role, inLayout ? 1 : 0);
      this.#json(this.#counted || node.calls?.length ? message(node, this.#counted) : undefined);
    } else {
      this.#numbers.push(2, LEAF[kind], 0);
      this.#json(this.#counted ? part : undefined);
    }
  }

  #json(value: unknown): void {
    const text = value === undefined ? "" : JSON.stringify(value);
    this.#numbers.push(text.length);
    this.#write(text);
  }

  #write(text: string): void {
    // Halves of pairs could meet others across the seam, and lengths would not be right any more.
    this.#texts.push(wellFormed(text));
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
