/** Random prompts: every element, intrinsic and prop, mostly sensible, sometimes odd, with many equal priorities. */

import type { Description, Habit, Props } from "./description.ts";
import type { TokenizerOptions } from "./tokenizers.ts";
import { letters, quarters, words } from "./tokenizers.ts";

/** A small generator of random numbers (mulberry32): the same seed leads to the same numbers everywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  many<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }
}

/** A prompt with its tokenizer. */
export interface Case {
  seed: number;
  tree: Description[];
  tokenizer: TokenizerOptions & { name: string };
}

const TEXTS = [
  "alpha",
  "beta gamma",
  "Ends here.",
  "a",
  "two\nlines",
  "\n",
  " ",
  "",
  "  spaced  ",
  "trailing\n",
  "\nleading",
  "漢字かな交じり",
  "👩‍👩‍👧 family",
  "e\u0301te\u0301",
  "x\t\ty",
  "12,345.67",
  "The quick brown fox jumps over the lazy dog.",
  "one two three four five six seven eight",
  "line one\nline two\n\nline four",
  "\ud83d",
  "\u00a0",
  "ﬀ|ﬁ",
  "نص عربي",
];
const PNG = "iVBORw0KGgo=";

/** Makes one prompt. The same seed makes the same prompt. */
export function randomCase(seed: number): Case {
  const random = new Random(seed);
  const [name, count] = random.pick([
    ["letters", letters],
    ["quarters", quarters],
    ["words", words],
  ] as const);
  const tokenizer: Case["tokenizer"] = {
    name,
    count,
    mode: random.pick(["Raw", "Raw", "OpenAI"] as const),
    base: random.pick([3, 3, 0, 7]),
    later: random.chance(0.4),
  };
  if (random.chance(0.2)) tokenizer.alone = random.pick([0, 5]);
  return { seed, tree: new Grower(random).messages(2), tokenizer };
}

class Grower {
  readonly random: Random;
  /** Priorities of this prompt: few, so that many are equal. */
  readonly #priorities: readonly number[];
  readonly #oddity: number;
  #names = 0;
  #groups = 0;
  #left = 70;

  constructor(random: Random) {
    this.random = random;
    this.#priorities = random.pick([
      [0, 1, 2],
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [5],
      [-1, 0, 0.5, 1, Number.MAX_SAFE_INTEGER],
      [1, 1, 1, 2],
    ]);
    this.#oddity = random.pick([0, 0, 0.02]);
  }

  /** Returns children of the root or of a container of messages. */
  messages(depth: number): Description[] {
    const { random } = this;
    return random.many(depth === 2 ? 1 : 0, 4, () => this.#message(depth));
  }

  #message(depth: number): Description {
    const { random } = this;
    const which = random.next();
    if (this.#left < 0 || depth === 0 || which < 0.5) return this.#oneMessage();
    if (which < 0.56) return { kind: "fragment", children: this.messages(depth - 1) };
    if (which < 0.62) return this.#component(() => this.messages(depth - 1));
    if (which < 0.68) return this.#element("LogicalWrapper", {}, this.messages(depth - 1));
    if (which < 0.73) return this.#element("Chunk", {}, this.messages(depth - 1));
    if (which < 0.78) return this.#element("TokenLimit", { max: this.#max() }, this.messages(depth - 1));
    if (which < 0.81) return this.#element("LegacyPrioritization", {}, this.messages(depth - 1));
    if (which < 0.86) return this.#list(() => this.#message(depth - 1));
    if (which < 0.89)
      return {
        ...this.#element("IfEmpty", {}, this.messages(depth - 1)),
        alt: this.messages(depth - 1),
      } as Description;
    if (which < 0.93) return this.#toolRound();
    if (which < 0.96)
      return { kind: "keepWith", group: this.#group(), props: this.#props(), children: this.messages(depth - 1) };
    if (this.#odd())
      return random.pick<Description>([
        { kind: "text", text: "outside" },
        { kind: "intrinsic", name: "cacheBreakpoint", props: {}, children: [] },
      ]);
    return this.#note();
  }

  #oneMessage(): Description {
    const { random } = this;
    const name = random.pick(["SystemMessage", "UserMessage", "UserMessage", "AssistantMessage", "ToolMessage"]);
    const own: Props =
      name === "ToolMessage" ? { toolCallId: `call${random.below(4)}` } : random.chance(0.15) ? { name: "ann" } : {};
    const element = this.#element(
      name,
      own,
      random.chance(0.1) ? this.#contents(3) : [this.#literal(), ...this.#contents(3)],
    );
    const children = random.chance(0.2) ? this.#withBreakpoint(element.children) : element.children;
    const calls =
      name === "AssistantMessage" && random.chance(0.3)
        ? random.many(1, 2, () => ({
            id: `call${random.below(4)}`,
            group: random.chance(0.5) ? this.#group() : undefined,
          }))
        : undefined;
    return { ...element, children, ...(calls ? { calls } : {}) };
  }

  #withBreakpoint(children: Description[]): Description[] {
    const at = this.random.below(children.length + 1);
    const mark: Description = {
      kind: "intrinsic",
      name: "cacheBreakpoint",
      props: this.random.chance(0.5) ? { type: "ephemeral" } : {},
      children: [],
    };
    return [
      ...children.slice(0, at),
      mark,
      ...(this.random.chance(0.2) ? [structuredClone(mark)] : []),
      ...children.slice(at),
    ];
  }

  #toolRound(): Description {
    const group = (this.#groups += 1);
    const id = `round${group}`;
    const call = this.#element("AssistantMessage", {}, this.#contents(1));
    const result = this.#element("ToolMessage", { toolCallId: id }, this.#contents(2));
    return {
      kind: "fragment",
      children: [
        { ...call, calls: [{ id, group }] },
        { kind: "keepWith", group, props: this.#props(), children: [result] },
      ],
    };
  }

  #contents(depth: number): Description[] {
    return this.random.many(0, 5, () => this.#content(depth));
  }

  #content(depth: number): Description {
    const { random } = this;
    this.#left -= 1;
    const which = random.next();
    if (this.#odd()) return this.#oddContent();
    if (which < 0.22) return this.#literal();
    if (which < 0.42) return this.#chunk();
    if (which < 0.47) return { kind: "intrinsic", name: "br", props: {}, children: [] };
    if (which < 0.52)
      return this.#element(
        "Image",
        {
          src: random.pick([PNG, "https://example.org/a.png", "/9j/abc"]),
          ...(random.chance(0.4) ? { detail: "low" } : {}),
          ...(random.chance(0.2) ? { mimeType: "image/png" } : {}),
        },
        [],
      );
    if (which < 0.54) return this.#element("Document", { data: "JVBERi0=", mediaType: "application/pdf" }, []);
    if (which < 0.57)
      return {
        kind: "intrinsic",
        name: "opaque",
        props: {
          value: { kind: "widget", cost: 5 },
          ...(random.chance(0.7) ? { tokenUsage: random.pick([5, 5, 6, 0]) } : {}),
          ...(random.chance(0.4) ? { priority: random.pick(this.#priorities) } : {}),
        },
        children: [],
      };
    if (which < 0.62) return this.#note();
    if (which < 0.66)
      return {
        kind: "expandable",
        id: this.#name("Grows"),
        share: random.pick([0.5, 1, 0.2, 1.5]),
        later: random.chance(0.5),
        props: this.#props(),
        children: [],
      };
    if (which < 0.68) return { kind: "nothing", value: random.pick([undefined, true, false]) };
    if (this.#left < 0 || depth === 0) return this.#literal();
    if (which < 0.73) return this.#component(() => this.#contents(depth - 1));
    if (which < 0.78) return this.#element("LogicalWrapper", {}, this.#contents(depth - 1));
    if (which < 0.82) return this.#element("Chunk", {}, this.#contents(depth - 1));
    if (which < 0.84) return this.#element("TokenLimit", { max: this.#max() }, this.#contents(depth - 1));
    if (which < 0.86) return this.#limits(depth);
    if (which < 0.88) return this.#element("LegacyPrioritization", {}, this.#contents(depth - 1));
    if (which < 0.91) return this.#list(() => this.#content(depth - 1));
    if (which < 0.93)
      return {
        ...this.#element("IfEmpty", {}, this.#contents(depth - 1)),
        alt: this.#contents(depth - 1),
      } as Description;
    if (which < 0.95)
      return { kind: "keepWith", group: this.#group(), props: this.#props(), children: this.#contents(depth - 1) };
    if (which < 0.97)
      return { kind: "json", tool: random.chance(0.5), props: this.#props(), children: this.#contents(depth - 1) };
    return { kind: random.pick(["fragment", "iterable"] as const), children: this.#contents(depth - 1) };
  }

  #oddContent(): Description {
    const name = this.#name("Odd");
    const habit = this.random.pick<Habit>(["throw", "throwInPrepare", "cancel"]);
    return this.random.pick<Description>([
      {
        kind: "component",
        id: name,
        habit,
        slowPrepare: this.random.chance(0.5),
        slowRender: this.random.chance(0.5),
        props: {},
        children: [],
      },
      { kind: "intrinsic", name: "unheard", props: {}, children: [] },
      this.#element("LogicalWrapper", {}, [{ kind: "intrinsic", name: "cacheBreakpoint", props: {}, children: [] }]),
      this.#element("TextChunk", {}, [this.#element("LogicalWrapper", {}, [])]),
      this.#element("TextChunk", { breakOn: /x/ }, [this.#literal()]),
      this.#element("Absent", {}, []),
    ]);
  }

  #literal(): Description {
    const { random } = this;
    return { kind: "text", text: random.chance(0.1) ? random.below(1000) : random.pick(TEXTS) };
  }

  #chunk(): Description {
    const { random } = this;
    const own: Props = random.chance(0.15)
      ? { breakOnWhitespace: true }
      : random.chance(0.15)
        ? { breakOn: random.pick<string | RegExp>([" ", "\n", "o", /[aeiou]/g, /\s\w/g]) }
        : {};
    const inside = (): Description => {
      const which = random.next();
      if (which < 0.75) return this.#literal();
      if (which < 0.88) return { kind: "intrinsic", name: "br", props: {}, children: [] };
      if (which < 0.94) return this.#note();
      return {
        kind: "intrinsic",
        name: "opaque",
        props: { value: { kind: "inner", cost: 2 }, tokenUsage: 2 },
        children: [],
      };
    };
    return this.#element("TextChunk", own, random.many(0, 3, inside));
  }

  /** Returns limits side by side in one group, which share by their order in the reference. */
  #limits(depth: number): Description {
    const limited = this.random.many(2, 4, () => {
      const { props, ...element } = this.#element("TokenLimit", {}, [this.#chunk(), ...this.#contents(depth - 1)]);
      const { flexGrow: _flexGrow, ...rest } = props;
      return { ...element, props: { ...rest, max: this.#max() } };
    });
    const beside = this.#component(() => this.#contents(depth - 1));
    return { kind: "fragment", children: [...limited, beside] };
  }

  #note(): Description {
    const { random } = this;
    const which = random.below(5);
    if (which === 0) return { kind: "meta", tag: this.#name("tag"), local: random.chance(0.7), children: [] };
    if (which <= 2)
      return {
        kind: "references",
        names: random.many(0, 2, () => random.pick(["file", "symbol", "selection", "/src/a.ts", "/src/b.ts"])),
        children: [],
      };
    if (which === 3)
      return {
        kind: "intrinsic",
        name: "usedContext",
        props: { value: [{ uri: this.#name("uri"), version: 1, ranges: [] }] },
        children: [],
      };
    return {
      kind: "intrinsic",
      name: "ignoredFiles",
      props: { value: [random.pick(["secret.env", "key.pem"])] },
      children: [],
    };
  }

  #list(make: () => Description): Description {
    const { random } = this;
    const children = random
      .many(0, 4, make)
      .filter((each) => each.kind !== "iterable" && (each.kind !== "nothing" || each.value !== true));
    return this.#element(
      "PrioritizedList",
      { descending: random.chance(0.5), ...(random.chance(0.6) ? { priority: random.pick(this.#priorities) } : {}) },
      children,
    );
  }

  #component(children: () => Description[]): Description {
    const { random } = this;
    const habit = random.pick<Habit>(["children", "children", "write", "count", "state", "nothing"]);
    // Only children can be messages; written content is inside of one.
    const inside = children();
    const writes = inside.every((child) => !holdsMessage(child));
    return {
      kind: "component",
      id: this.#name("Part"),
      habit: writes && inside.length > 0 ? habit : "children",
      slowPrepare: random.chance(0.3),
      slowRender: random.chance(0.3),
      props: this.#props(),
      children: inside,
    };
  }

  #element(name: string, own: Props, children: Description[]): Description & { kind: "element" } {
    return { kind: "element", name, props: { ...this.#props(), ...own }, children };
  }

  #props(): Props {
    const { random } = this;
    const props: Props = {};
    if (random.chance(0.6)) props.priority = random.pick(this.#priorities);
    if (random.chance(0.15)) props.passPriority = true;
    if (random.chance(0.3)) props.flexGrow = random.pick([0, 1, 1, 2, 7, -1, 0.5]);
    if (random.chance(0.15)) props.flexBasis = random.chance(0.03) ? 0 : random.pick([2, 3, 0.5]);
    if (random.chance(0.15)) props.flexReserve = random.pick([5, 12, 1.5, "/3", "/2.5", "/10"]);
    return props;
  }

  #max(): number {
    return this.random.pick([0, 5, 10, 17.5, 20, 30, 40, 60, 100]);
  }

  #group(): number {
    return this.random.chance(0.6) && this.#groups > 0 ? 1 + this.random.below(this.#groups) : (this.#groups += 1);
  }

  #name(stem: string): string {
    return `${stem}${(this.#names += 1)}`;
  }

  #odd(): boolean {
    return this.random.chance(this.#oddity);
  }
}

function holdsMessage(description: Description): boolean {
  if (description.kind === "element" && description.name.endsWith("Message")) return true;
  return (
    ("children" in description && description.children.some(holdsMessage)) ||
    ("alt" in description && (description.alt ?? []).some(holdsMessage))
  );
}
