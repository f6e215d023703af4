/** The render of one prompt: the core asks, and the session answers with elements and tokenizers. */

import { call, isReady, ready, wasm } from "../engine/engine.ts";
import { abortable } from "../errors/abortable.ts";
import { EspalierError } from "../errors/errors.ts";
import type { EncodingName } from "../types/count.ts";
import { loadNeeded } from "../engine/vocabulary.ts";
import { emptyMessage, readMessage, readMessages } from "./assemble.ts";
import { brandOf } from "./brand.ts";
import type { PromptElement } from "./element.ts";
import { annotate, badElement } from "./annotate.ts";
import { Flattener } from "./flatten/index.ts";
import type { CancellationToken, ChatResponsePart, Progress } from "./host-types.ts";
import type { PromptElementJSON } from "./json-tree.ts";
import { toMode } from "./output/mode.ts";
import { ChatCompletionContentPartKind } from "../formats/raw/prompt.ts";
import type { ChatMessage } from "../formats/raw/prompt.ts";
import { partOf } from "./parts.ts";
import type { BasePromptSizing, IChatEndpointInfo, PromptPiece } from "./piece.ts";
import type { ElementNode, RenderNode, TextNode } from "./render-tree.ts";
import { pathOf } from "./render-tree.ts";
import type { HistoryHost } from "./request/host.ts";
import type { PromptMetadata } from "./results.ts";
import { trackedSizing } from "./sizing.ts";
import type { ITokenizer } from "./tokenizer.ts";
import type { ITracer } from "./tracer.ts";

/** Kinds of steps, by their first number (see `src/bindings/prompt.rs`). */
const STEP = { done: 0, render: 1, grow: 2, count: 3, stray: 4 } as const;
const QUESTION = { text: 0, literal: 1, part: 2, base: 3 } as const;
/** Index of the messages in the last step, and of the questions in the others. */
const MESSAGES_AT = 4;
const ELEMENTS_AT = 3;
const QUESTIONS_AT = 2;
/** Bits of the core's flags. */
const FLAG = { exactLimits: 1, bindCalls: 2, backfill: 4, traced: 8, layoutOnly: 16, thorough: 32 } as const;
/**
 * Tokens for the line breaks before and after a text, which layout charges to no element: without them, a text cut to
 * its last token would be removed whole.
 */
const LINE_BREAKS = 2;
const NO_NUMBERS = new Float64Array(0);

type Later<T> = T | PromiseLike<T>;

/** A limit that cannot be met. */
export interface Failure {
  /** The node whose limit it is. */
  limit: number;
  allowed: number;
  needed: number;
  /** The largest remaining messages, as [node, tokens]. */
  largest: [number, number][];
}

export interface Outcome {
  messages: ChatMessage[];
  tokens: number;
  /** Number of removed nodes, without those inside them. */
  removed: number;
  failure?: Failure;
}

export interface SessionOptions {
  budget: number;
  endpoint: IChatEndpointInfo;
  /** The host's tokenizer; otherwise the core counts. */
  tokenizer: ITokenizer | undefined;
  counting?: (() => Record<string, unknown>) | undefined;
  /** The encoding for counting. */
  encoding?: (() => EncodingName) | undefined;
  /** The form of the messages that the core counts for. */
  mode?: string;
  exactLimits?: boolean;
  /** Keeps calls and results together, whatever else they are kept with. */
  bindCalls?: boolean;
  backfill?: boolean;
  layoutOnly?: boolean;
  thorough?: boolean;
  messagesOnly?: boolean;
  /** Receives the session before anything is asked, so that collected values are available after a failure too. */
  onSession?: (session: Session) => void;
  tracer?: ITracer | undefined;
  /** Makes instances. Default: `new ctor(props)`. */
  createElement?: ((item: any) => PromptElement<any, any>) | undefined;
  progress?: Progress<ChatResponsePart> | undefined;
  token?: CancellationToken | undefined;
  signal?: AbortSignal | undefined;
  countTokens: BasePromptSizing["countTokens"];
  /**
   * Results of components in an earlier render, in the order of the questions: these components are not asked again,
   * later ones are.
   */
  replay?: readonly unknown[] | undefined;
  /** Supplies the conversations in the tree; elements then get a sizing that keeps a tally. */
  host?: HistoryHost | undefined;
  /** Leaves cache breakpoints out, so that they protect nothing. */
  noBreakpoints?: boolean;
}

type Root = { ctor: PromptPiece["ctor"]; props: any } | { json: PromptElementJSON };

export class Session {
  readonly flattener: Flattener;
  readonly options: SessionOptions;
  #operation: any;
  #budget: number;
  /** The last step: the outcome. */
  #done: Float64Array = NO_NUMBERS;
  readonly #root: Root;
  /** Earlier metadata of elements, for each growth. */
  readonly #growths: { node: ElementNode; before: PromptMetadata[]; added: PromptMetadata[] }[] = [];
  /** Results of components in layout, in the order of the questions. */
  readonly #returned: unknown[] = [];

  private constructor(root: Root, options: SessionOptions) {
    this.options = options;
    this.#root = root;
    this.#budget = options.budget;
    this.flattener = new Flattener({
      counted: !options.tokenizer,
      strict: options.exactLimits ?? false,
      createElement: options.createElement,
      noBreakpoints: options.noBreakpoints ?? false,
    });
  }

  /** Renders a tree. Afterwards the session can be asked for its outcome, and cut to other budgets. */
  static async render(root: Root, options: SessionOptions): Promise<Session> {
    options.signal?.throwIfAborted();
    // Each await costs a small prompt as much as a message.
    if (!isReady()) await ready();
    if (options.encoding) await loadNeeded(options.encoding());
    const session = new Session(root, options);
    options.onSession?.(session);
    const { flattener } = session;
    if ("json" in root) flattener.rootJSON(root.json);
    else flattener.root(root.ctor, root.props);
    const { budget, counting, mode = "raw", messagesOnly = false } = options;
    const builtin = counting && { counting: counting(), mode, messagesOnly };
    session.#operation = call(() => {
      const { numbers, text } = flattener.encoder.written();
      return new (wasm().Prompt)(numbers, text, budget, session.#flags(), builtin);
    });
    flattener.encoder.clear();
    try {
      await session.#run();
      return session;
    } catch (error) {
      session.free();
      throw error;
    }
  }

  #flags(): number {
    const { tracer, ...options } = this.options;
    let flags = tracer?.addRenderEpoch || tracer?.includeInEpoch ? FLAG.traced : 0;
    for (const name of ["exactLimits", "bindCalls", "backfill", "layoutOnly", "thorough"] as const)
      if (options[name]) flags |= FLAG[name];
    return flags;
  }

  get nodes(): readonly RenderNode[] {
    return this.flattener.nodes;
  }

  get budget(): number {
    return this.#budget;
  }

  outcome(): Outcome {
    const [, tokens, removed, failed] = this.#done as unknown as [number, number, number, number];
    const messages = readMessages(this.#done, this.nodes, MESSAGES_AT);
    return { messages, tokens, removed, ...(failed && { failure: call(() => this.#live().failure()) as Failure }) };
  }

  /** Returns the messages before anything was removed. */
  original(): ChatMessage[] {
    return readMessages(
      call(() => this.#live().original()),
      this.nodes,
    );
  }

  removals(): any[] {
    return call(() => this.#live().removals());
  }

  reports(): any[] {
    return call(() => this.#live().nodes());
  }

  /** Returns places in the tree, as `Prompt.places` of the core does. */
  places(ids: number[]): Float64Array {
    return call(() => this.#live().places(Uint32Array.from(ids)));
  }

  /**
   * Returns the same prompt at another budget. Components are not asked again. Elements of the package that make their
   * content for a budget are, in a session of its own.
   */
  async resized(budget: number): Promise<Session> {
    this.#live();
    const { hasSized, hasIterators } = this.flattener;
    if (hasSized && !hasIterators) {
      const endpoint = { ...this.options.endpoint, modelMaxPromptTokens: budget };
      return Session.render(this.#root, {
        ...this.options,
        budget,
        endpoint,
        tracer: undefined,
        replay: this.#returned,
      });
    }
    await this.recut(budget);
    return this;
  }

  /** Cuts the same tree to another budget. */
  async recut(budget: number): Promise<void> {
    call(() => this.#live().recut(budget));
    this.#budget = budget;
    await this.#run();
  }

  free(): void {
    const operation = this.#operation;
    this.#operation = undefined;
    try {
      operation?.free();
    } catch {
      // A crashed instance took the tree along.
    }
  }

  #live(): any {
    if (this.#operation) return this.#operation;
    throw new EspalierError({ code: "freed", message: "This prompt was freed. Render it again." });
  }

  async #run(): Promise<void> {
    const { signal, tracer } = this.options;
    const { flattener } = this;
    try {
      let step: Float64Array = call(() => this.#live().poll());
      for (;;) {
        if (tracer) this.#trace(tracer);
        if (step[0] === STEP.done) {
          this.#done = step;
          return;
        }
        signal?.throwIfAborted();
        let next: Later<Float64Array>;
        if (step[0] === STEP.render) next = this.#render(step);
        else if (step[0] === STEP.grow) next = this.#grow(step);
        else if (step[0] === STEP.count) next = this.#count(step);
        else throw malformed(step[0] === STEP.stray ? "stray" : "alternative", this.nodes[step[1]!]!);
        step = isThenable(next) ? await abortable(Promise.resolve(next), this.options.signal) : next;
      }
    } finally {
      flattener.encoder.release();
      this.#forgetReverted();
      flattener.arrange();
    }
  }

  /** Restores the earlier metadata of elements whose growth did not fit. */
  #forgetReverted(): void {
    const growths = this.#growths.splice(0);
    if (growths.length === 0 || !this.#operation) return;
    const kept = call(() => this.#live().growthKept() as Uint8Array);
    const grown = new Map<ElementNode, PromptMetadata[]>();
    growths.forEach(({ node, before, added }, at) => {
      const metadata = grown.get(node) ?? before;
      grown.set(node, kept[at] ? [...metadata, ...added] : metadata);
    });
    for (const [node, metadata] of grown) node.metadata = metadata;
  }

  #trace(tracer: ITracer): void {
    if (!tracer.addRenderEpoch && !tracer.includeInEpoch) return;
    const { failures } = this.flattener;
    for (const event of call(() => this.#live().events())) {
      if (typeof event === "number") {
        tracer.includeInEpoch?.({ id: event, tokenBudget: 0 });
        continue;
      }
      const { parent, grow, left, reserved, budgets } = event;
      // An element with faulty children has no group: it fails before they are sized.
      if (failures.size > 0 && budgets.some(([id]: [number]) => failures.has(this.nodes[id] as ElementNode))) continue;
      tracer.addRenderEpoch?.({
        inNode: parent,
        flexValue: grow,
        tokenBudget: left,
        reservedTokens: reserved,
        elements: budgets.map(([id, tokenBudget]: [number, number]) => ({ id, tokenBudget })),
      });
    }
  }

  /** Returns the sizing of each element: one for both its methods, so that `render` sees what `prepare` consumed. */
  #sizings(step: Float64Array, elements: ElementNode[]): BasePromptSizing[] {
    const { endpoint, countTokens, host, exactLimits } = this.options;
    return elements.map((node, at) => {
      const budget = step[ELEMENTS_AT + 2 * at + 1]!;
      const isBroken = node.isSized && brandOf((node.ctor as { prototype?: unknown }).prototype) === "TextChunk";
      const tokenBudget = exactLimits && isBroken ? Math.max(0, budget - LINE_BREAKS) : budget;
      const sizing = { tokenBudget, endpoint, countTokens };
      return host ? trackedSizing(sizing, host) : sizing;
    });
  }

  /**
   * Returns the results of the components before number `end`; nothing if they contain iterators, which are consumed.
   */
  returned(end: number): readonly unknown[] {
    return this.flattener.hasIterators ? [] : this.#returned.slice(0, end);
  }

  /**
   * Returns true for an element that makes its content for its budget: elements of the package in layout, any element
   * once something grows.
   */
  #isSized(node: ElementNode): boolean {
    return node.isSized || this.flattener.collected.phase > 0;
  }

  /** Asks a group of elements for their content, and answers with all of it. */
  #render(step: Float64Array): Later<Float64Array> {
    const { flattener } = this;
    const elements: ElementNode[] = [];
    let prepares = false;
    for (let at = ELEMENTS_AT; at < step.length; at += 2) {
      const node = this.nodes[step[at]!] as ElementNode;
      elements.push(node);
      if (node.instance?.prepare) prepares = true;
    }
    flattener.pending -= elements.length;
    if (flattener.failures.size > 0) {
      const failed = elements.find((node) => flattener.failures.has(node));
      if (failed) throw flattener.failures.get(failed);
    }
    const sizings = this.#sizings(step, elements);
    const render = () => after(this.#askAll("render", elements, sizings), (made) => this.#answer(step, elements, made));
    if (!prepares) return render();
    // Synchronous results are not awaited.
    return after(this.#askAll("prepare", elements, sizings), (states) => {
      for (let at = 0; at < elements.length; at++) elements[at]!.state = states[at];
      return render();
    });
  }

  #grow(step: Float64Array): Later<Float64Array> {
    const node = this.nodes[step[ELEMENTS_AT]!] as ElementNode;
    this.flattener.collected.phase++;
    node.state = undefined;
    return after(this.#askAll("render", [node], this.#sizings(step, [node])), (made) => {
      const before = [...node.metadata];
      const next = this.#answer(step, [node], made);
      this.#growths.push({ node, before, added: node.metadata.slice(before.length) });
      return next;
    });
  }

  /** Returns the results of a method of all elements; a promise only if one of them returns one. */
  #askAll(
    method: "prepare" | "render",
    elements: ElementNode[],
    sizings: readonly BasePromptSizing[],
  ): Later<unknown[]> {
    const { progress, token, replay = [], host } = this.options;
    const results: unknown[] = [];
    let next = this.#returned.length;
    for (let at = 0; at < elements.length; at++) {
      const node = elements[at]!;
      const instance = node.instance!;
      const sizing = sizings[at]!;
      let result: unknown;
      const turn = this.#isSized(node) ? Infinity : next++;
      if (turn < replay.length) {
        results.push(method === "render" ? replay[turn] : undefined);
        continue;
      }
      host?.asking(turn);
      try {
        result =
          method === "render"
            ? instance.render(node.state, sizing, progress, token)
            : instance.prepare?.(sizing, progress, token);
      } catch (error) {
        // As a promise, so that the other elements are asked too and the first failure is the one that is reported.
        result = Promise.reject(annotate(error, node));
      }
      results.push(isThenable(result) ? naming(result, node) : result);
    }
    return settle(results);
  }

  /** Answers a step with the elements' results, and with the counts that layout needs if a budget depends on them. */
  #answer(step: Float64Array, elements: ElementNode[], templates: unknown[]): Later<Float64Array> {
    this.options.signal?.throwIfAborted();
    const { flattener, options } = this;
    const { encoder } = flattener;
    for (let at = 0; at < elements.length; at++) {
      const template = templates[at];
      if (!this.#isSized(elements[at]!)) this.#returned.push(template);
      if (at > 0) encoder.close();
      // 0, NaN and "" are nothing as an element's result, and text among its children.
      if (template) flattener.children(elements[at]!, template);
    }
    const isSized =
      options.tokenizer && (options.thorough || options.tracer || flattener.pending > 0 || flattener.hasExpandable);
    return after(isSized ? this.#layoutCounts(step[ELEMENTS_AT - 1]!) : NO_NUMBERS, (counts) =>
      call(() => {
        const { numbers, text } = encoder.written();
        const next = this.#live().answerRendered(step[1]!, numbers, text, counts);
        encoder.clear();
        return next;
      }),
    );
  }

  /**
   * Returns the counts of everything that layout charges, for the nodes from `from` on: empty messages and literals.
   */
  #layoutCounts(from: number): Later<Float64Array> {
    const { nodes } = this;
    const counts: Later<number>[] = [];
    for (let at = from; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (node.type === "element") {
        if (node.inLayout && !node.spliced) counts.push(this.#countMessage(emptyMessage(node), node));
      } else if (node.type === "text" && !node.parent.spliced) {
        if (!node.literals) counts.push(this.#countText(node.text));
        else for (const literal of node.literals) if (literal.counts) counts.push(this.#countText(literal.text));
      }
    }
    return numbers(counts);
  }

  #countText(text: string): Later<number> {
    return this.options.tokenizer!.tokenLength({ type: ChatCompletionContentPartKind.Text, text }, this.options.token);
  }

  #countMessage(raw: ChatMessage, node: RenderNode): Later<number> {
    const tokenizer = this.options.tokenizer!;
    let message: unknown;
    try {
      message = toMode(tokenizer.mode, raw);
    } catch (error) {
      throw annotate(error, node);
    }
    return tokenizer.countMessageTokens(message as never);
  }

  /** Answers the core's questions with the host's tokenizer. */
  #count(step: Float64Array): Later<Float64Array> {
    const { tokenizer, token } = this.options;
    const { nodes } = this;
    const counts: Later<number>[] = [];
    for (let at = QUESTIONS_AT; at < step.length; ) {
      const kind = step[at++];
      if (kind === QUESTION.text) counts.push(this.#countText((nodes[step[at++]!] as TextNode).text));
      else if (kind === QUESTION.literal)
        counts.push(this.#countText((nodes[step[at++]!] as TextNode).literals![step[at++]!]!.text));
      else if (kind === QUESTION.part) counts.push(tokenizer!.tokenLength(partOf(nodes[step[at++]!]!), token));
      else if (kind === QUESTION.base) {
        const node = nodes[step[at++]!] as ElementNode;
        counts.push(this.#countMessage(emptyMessage(node), node));
      } else {
        const { message, next } = readMessage(step, at, nodes);
        counts.push(this.#countMessage(message, nodes[step[at]!]!));
        at = next;
      }
    }
    return after(numbers(counts), (known) => call(() => this.#live().answerCounts(step[1]!, known)));
  }
}

/** Returns counts as the core takes them; a promise only if one of them is one. */
function numbers(counts: Later<number>[]): Later<Float64Array> {
  return after(settle(counts), (known) => {
    const list = new Float64Array(known.length);
    // A count that is no number becomes NaN and not 0, so that the core can refuse it.
    for (let at = 0; at < known.length; at++) list[at] = typeof known[at] === "number" ? known[at]! : NaN;
    return list;
  });
}

function isThenable(value: unknown): value is PromiseLike<any> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Resolves all values at once; returns a promise only if one of them is one. */
function settle<T>(values: Later<T>[]): Later<T[]> {
  for (const value of values) if (isThenable(value)) return Promise.all(values);
  return values as T[];
}

/** Continues with a value, at once if it is available. */
function after<T, R>(value: Later<T>, next: (value: T) => Later<R>): Later<R> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value as T);
}

/** Returns a promise whose error names the element. */
function naming<T>(result: PromiseLike<T>, node: ElementNode): Promise<T> {
  return Promise.resolve(result).catch((error: unknown) => {
    throw annotate(error, node);
  });
}

function malformed(what: "stray" | "alternative", node: RenderNode): Error {
  if (what === "alternative") return badElement("Invalid number of children for EmptyAlternate flag", node);
  const text = node.type === "text" ? node.text : undefined;
  const said =
    text === undefined
      ? `Cannot have ${node.type === "element" ? node.kind : node.type} content outside a ChatMessage.`
      : `Cannot have a text node outside a ChatMessage. Text: "${text}"`;
  return new EspalierError({
    code: "text_outside_message",
    message: `${said}${otherMessage(node)} (at tsx element ${pathOf(node)})`,
    path: pathOf(node),
  });
}

/** Says that a message around a node is that of another package: its class is a plain element here. */
function otherMessage(node: RenderNode): string {
  for (let at: RenderNode | undefined = node; at; at = at.parent)
    if (at.type === "element" && /^(System|User|Assistant|Tool)Message$/.test(at.name ?? ""))
      return ` ${at.name} is an element of another package here, such as @vscode/prompt-tsx; import it from the one that renders.`;
  return "";
}
